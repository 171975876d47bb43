import { natsNames } from '@trellis/kit/bus'
import { natsFilesNames } from '@trellis/kit/files'
import { type RunKind, runKinds } from '@trellis/kit/workloads'

/**
 * Processes that share the account in which all streams are. `workloads` stands in for the operator where there is no
 * cluster; its children read and write files on its behalf.
 */
export const natsServices = ['operator', 'workloads', 'listings', 'logs', 'music'] as const
/** Processes that have an account of their own each, into which only what they need of the other is imported. */
export const natsWorkers = ['search', 'generation', 'branch'] as const
/** Who connects to NATS: each is a user of this name with a password of its own. The edge does not. */
export const natsRoles = [...natsServices, ...natsWorkers] as const

type Service = (typeof natsServices)[number]
type Worker = (typeof natsWorkers)[number]
export type NatsRole = (typeof natsRoles)[number]

/** The account of all streams. The global account of a server without accounts lies in a folder of another name. */
export const natsAccount = 'TRELLIS'

type Streams = {
  topics?: readonly string[]
  queues?: readonly string[]
  shared?: readonly string[]
  files?: boolean
}

/** The topics of a kind of runs, of which a worker of that kind reports in the first and reads all. */
const runTopics = (kind: RunKind) =>
  [`workloads.runs.${kind}`, `workloads.assignments.${kind}`, `workloads.inputs.${kind}`] as const

const ofRuns: Streams = {
  topics: runKinds.flatMap(runTopics),
  queues: [
    'workloads.notices',
    'workloads.branch-notices',
    ...runKinds.flatMap((kind) => [`workloads.worker-notices.${kind}`, `workloads.orders.${kind}`]),
  ],
}

/** What each service publishes, reads and works on. */
const streamsOf: Readonly<Record<Service, Streams>> = {
  operator: ofRuns,
  workloads: { ...ofRuns, files: true },
  listings: {
    topics: ['listings.updates', 'listings.answers', 'listings.control', 'workloads.runs.search'],
    queues: ['listings.searches', 'workloads.orders.search', 'workloads.notices'],
    shared: ['listings.standings'],
  },
  logs: {
    topics: ['logs.watch', 'logs.tasks', 'logs.receipts', 'logs.catalogue'],
    queues: ['logs-entries'],
    files: true,
  },
  music: {
    topics: ['music.chains', 'workloads.runs.generation'],
    queues: ['music.generations', 'workloads.orders.generation', 'workloads.notices'],
    files: true,
  },
}

/** The rights of a worker that does runs of a kind. */
const ofWorker = (kind: RunKind) => ({
  writes: { topics: [`workloads.runs.${kind}`], queues: [`workloads.worker-notices.${kind}`] },
  reads: { topics: runTopics(kind) },
})

/**
 * What a worker stores (`writes`) and reads; of a queue it only adds jobs. `filesFolder`: where it writes files, if those are in
 * NATS; it reads all of them.
 */
const rightsOf: Readonly<Record<Worker, { writes: Streams; reads: Streams; filesFolder?: string }>> = {
  search: {
    writes: { ...ofWorker('search').writes, shared: ['listings.standings'] },
    reads: { ...ofWorker('search').reads, shared: ['listings.standings'] },
  },
  generation: { ...ofWorker('generation'), filesFolder: 'music' },
  branch: { writes: { queues: ['workloads.branch-notices'] }, reads: {} },
}

/** The variable of the server's environment with the password of a role. */
export const natsPasswordVariable = (role: NatsRole): string => `NATS_PASSWORD_${role.toUpperCase()}`

type Naming = { names: ReturnType<typeof natsNames>; files: ReturnType<typeof natsFilesNames>; filesInNats: boolean }

/** Streams with the subjects that are published into them. */
const streams = ({ topics = [], queues = [], shared = [], files }: Streams, { names, files: bucket }: Naming) => [
  ...topics.map((family) => ({ stream: names.topicStream(family), subject: names.topicSubjects(family) })),
  ...queues.flatMap((queue) => [
    { stream: names.queueStream(queue), subject: names.queueSubjects(queue) },
    { stream: names.deadStream(queue), subject: names.deadSubjects(queue) },
  ]),
  ...shared.map((name) => ({ stream: names.sharedStream(name), subject: names.sharedSubjects(name) })),
  ...(files ? [{ stream: bucket.stream, subject: bucket.all }] : []),
]

/** Everything that the owner of a stream asks of JetStream. */
const ownerSubjects = ({ stream, subject }: { stream: string; subject: string }): string[] => [
  subject,
  `$JS.API.STREAM.*.${stream}`,
  `$JS.API.STREAM.MSG.*.${stream}`,
  `$JS.API.CONSUMER.*.${stream}`,
  `$JS.API.CONSUMER.*.${stream}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.ACK.${stream}.>`,
  `$JS.FC.${stream}.>`,
]

const quoted = (subjects: readonly string[]): string =>
  [...new Set(subjects)].map((subject) => JSON.stringify(subject)).join(', ')

const userLine = (role: NatsRole, { publish, subscribe }: { publish: string[]; subscribe: string[] }): string =>
  `{user: ${role}, password: $${natsPasswordVariable(role)}, permissions: {publish: {allow: [${quoted(publish)}]}, subscribe: {allow: [${quoted(subscribe)}]}}}`

/** A subject of the account of all streams, and what it is called in the account that imports it, if that is another name. */
type Import = { subject: string; as?: string }

/** Requests about the stream of files that reading needs, and replacing a file: `PURGE` removes the content of the old one. */
const filesCalls = ['STREAM.INFO', 'STREAM.MSG.GET', 'STREAM.PURGE', 'DIRECT.GET']

/**
 * What the file store needs of an account that writes below a folder. JetStream's own requests have another name there, since
 * `$JS.API` of an account is answered for its own streams.
 */
const filesImports = (folder: string, { files }: Naming): Import[] => [
  ...[files.keysIn(folder), files.content('*'), files.intents].map((subject) => ({ subject })),
  ...filesCalls.map((call) => ({
    subject: `$JS.API.${call}.${files.stream}`,
    as: `${files.importedApi}.${call}.${files.stream}`,
  })),
]

/** What is imported into a worker's account: requests that are answered there (`services`), and wake-ups (`deliveries`). */
const importsOf = (worker: Worker, naming: Naming) => {
  const { names, filesInNats } = naming
  const { writes, reads, filesFolder } = rightsOf[worker]
  const jobs = (writes.queues ?? []).map((queue) => names.unnamedJob(queue, '*'))
  const written = streams({ ...writes, queues: [] }, naming).map(({ subject }) => subject)
  const direct = streams(reads, naming).flatMap(({ stream, subject }) => [
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.${subject}`,
  ])
  const services: Import[] = [
    ...[...written, ...jobs, ...direct].map((subject) => ({ subject })),
    ...(filesInNats && filesFolder !== undefined ? filesImports(filesFolder, naming) : []),
  ]
  return {
    services,
    deliveries: (reads.topics ?? []).map((family) => names.topicSubjects(family)),
  }
}

const accountOf = (worker: Worker): string => worker.toUpperCase()

const workerAccount = (worker: Worker, naming: Naming): string[] => {
  const { services, deliveries } = importsOf(worker, naming)
  const from = (subject: string) => `{account: ${natsAccount}, subject: ${JSON.stringify(subject)}}`
  const publish = services.map(({ subject, as = subject }) => as)
  return [
    `  ${accountOf(worker)} {`,
    `    users: [${userLine(worker, { publish, subscribe: ['_INBOX.>', ...deliveries] })}]`,
    '    imports: [',
    ...services.map(
      ({ subject, as }) => `      {service: ${from(subject)}${as === undefined ? '' : `, to: ${JSON.stringify(as)}`}}`,
    ),
    ...deliveries.map((subject) => `      {stream: ${from(subject)}}`),
    '    ]',
    '  }',
  ]
}

/** Each subject once, with the accounts that may import it. */
const exportsFor = (kind: 'service' | 'stream', naming: Naming): string[] => {
  const importers = new Map<string, string[]>()
  for (const worker of natsWorkers) {
    const { services, deliveries } = importsOf(worker, naming)
    for (const subject of kind === 'service' ? services.map((one) => one.subject) : deliveries)
      importers.set(subject, [...(importers.get(subject) ?? []), accountOf(worker)])
  }
  return [...importers].map(
    ([subject, accounts]) => `      {${kind}: ${JSON.stringify(subject)}, accounts: [${accounts.join(', ')}]}`,
  )
}

export type NatsAccountsOptions = {
  prefix?: string
  filesBucket?: string
  /** Whether files are in the object store of NATS. */
  filesInNats: boolean
  /** Those that there are. */
  services?: readonly Service[]
}

/**
 * The `accounts` block of a server's configuration: who may publish and read what. Passwords are variables of the server's
 * environment. A worker has an account of its own, because permissions within one account do not hold against a client
 * that names a foreign subject as the reply to a request: the server publishes its answer there. Across accounts it cannot.
 */
export const natsAccounts = ({
  prefix = 'trellis',
  filesBucket = 'trellis-files',
  filesInNats,
  services = natsServices,
}: NatsAccountsOptions): string => {
  const naming: Naming = { names: natsNames(prefix), files: natsFilesNames(prefix, filesBucket), filesInNats }
  const users = services.map((service) => {
    const owned = streams(streamsOf[service], naming).flatMap(ownerSubjects)
    return userLine(service, { publish: ['$JS.API.INFO', ...owned], subscribe: ['_INBOX.>'] })
  })
  return [
    'accounts {',
    `  ${natsAccount} {`,
    '    jetstream: enabled',
    '    users: [',
    ...users.map((line) => `      ${line}`),
    '    ]',
    '    exports: [',
    ...exportsFor('service', naming),
    ...exportsFor('stream', naming),
    '    ]',
    '  }',
    ...natsWorkers.flatMap((worker) => workerAccount(worker, naming)),
    '}',
    '',
  ].join('\n')
}
