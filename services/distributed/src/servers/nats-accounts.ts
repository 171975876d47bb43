import { natsNames } from '@trellis/kit/bus'
import { natsFilesNames } from '@trellis/kit/files'
import { type RunKind, runKinds } from '@trellis/kit/workloads'

/** Processes that share the account of all streams. `workloads` replaces the operator where there is no cluster. */
export const natsServices = ['operator', 'workloads', 'listings', 'logs', 'music'] as const
/**
 * Processes with their own accounts, which import only what they need from the account of all streams. `audio` is for audio workers
 * that are child processes: they use files, and report to their parent, which accepts reports of their own run only.
 */
export const natsWorkers = ['search', 'generation', 'branch', 'audio'] as const
/** The roles that connect to NATS, each as a user of this name with its own password. The edge does not connect. */
export const natsRoles = [...natsServices, ...natsWorkers] as const

type Service = (typeof natsServices)[number]
type Worker = (typeof natsWorkers)[number]
export type NatsRole = (typeof natsRoles)[number]

/** The account of all streams. A server without accounts stores the streams of its global account in another folder. */
export const natsAccount = 'TRELLIS'

type Streams = {
  topics?: readonly string[]
  queues?: readonly string[]
  shared?: readonly string[]
  files?: boolean
}

/** The topics of a kind of runs; a worker of that kind publishes to the first and reads all. */
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

/** The streams that each service publishes to, reads and works on. */
const streamsOf: Readonly<Record<Service, Streams>> = {
  operator: ofRuns,
  workloads: ofRuns,
  listings: {
    topics: [
      'listings.updates',
      'listings.answers',
      'listings.control',
      'listings.photos',
      'listings.photo-tasks',
      'workloads.runs.search',
    ],
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
    queues: ['music.generations', 'music.separations', 'workloads.orders.generation', 'workloads.notices'],
    files: true,
  },
}

/** The permissions of a worker for one kind of runs. */
const ofWorker = (kind: RunKind) => ({
  writes: { topics: [`workloads.runs.${kind}`], queues: [`workloads.worker-notices.${kind}`] },
  reads: { topics: runTopics(kind) },
})

/**
 * The streams that a worker writes to and reads; it only adds jobs to queues. `filesFolder`: the folder in which it may write files,
 * if files are in NATS; it may read all files.
 */
const rightsOf: Readonly<Record<Worker, { writes: Streams; reads: Streams; filesFolder?: string }>> = {
  search: {
    writes: { ...ofWorker('search').writes, shared: ['listings.standings'] },
    reads: { ...ofWorker('search').reads, shared: ['listings.standings'] },
  },
  generation: { ...ofWorker('generation'), filesFolder: 'music' },
  branch: { writes: { queues: ['workloads.branch-notices'] }, reads: {} },
  audio: { writes: {}, reads: {}, filesFolder: 'music' },
}

/** The variable with the password of a role in the server's environment. */
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

/** All subjects that the owner of a stream publishes to: the stream's own, and JetStream requests. */
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

/** A subject of the account of all streams, and its name in the importing account, if that differs. */
type Import = { subject: string; as?: string }

/** Requests to the stream of files for reading. What a worker replaces is removed by the service that owns the files. */
const filesCalls = ['STREAM.INFO', 'STREAM.MSG.GET', 'DIRECT.GET']

/**
 * Imports of an account that writes files below a folder. JetStream requests are imported under another name, because
 * an account answers `$JS.API` for its own streams.
 */
const filesImports = (folder: string, { files }: Naming): Import[] => [
  ...[files.keysIn(folder), files.contentIn(folder), files.intentsIn(folder)].map((subject) => ({ subject })),
  ...filesCalls.map((call) => ({
    subject: `$JS.API.${call}.${files.stream}`,
    as: `${files.importedApi}.${call}.${files.stream}`,
  })),
]

/** Imports of a worker's account: requests that the account of all streams answers (`services`), and wake-ups (`deliveries`). */
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

/** The export lines: each subject once, with the accounts that may import it. */
const exportsFor = (kind: 'service' | 'stream', workers: readonly Worker[], naming: Naming): string[] => {
  const importers = new Map<string, string[]>()
  for (const worker of workers) {
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
  /** The services of the installation; default all. */
  services?: readonly Service[]
  /** Whether audio workers are child processes of services; without files in NATS they do not connect. */
  hasAudioWorkers?: boolean
}

/**
 * Generates the `accounts` block of a server's configuration, with the permissions of all roles. Passwords are variables of the server's
 * environment. Each worker has its own account, because permissions within one account do not protect against a client
 * that sets a foreign subject as the reply of a request: the server publishes its answer there. Across accounts it cannot.
 */
export const natsAccounts = ({
  prefix = 'trellis',
  filesBucket = 'trellis-files',
  filesInNats,
  services = natsServices,
  hasAudioWorkers = false,
}: NatsAccountsOptions): string => {
  const workers = natsWorkers.filter((worker) => worker !== 'audio' || (hasAudioWorkers && filesInNats))
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
    ...exportsFor('service', workers, naming),
    ...exportsFor('stream', workers, naming),
    '    ]',
    '  }',
    ...workers.flatMap((worker) => workerAccount(worker, naming)),
    '}',
    '',
  ].join('\n')
}
