import type { BranchSpecInput, GenerationJobSpecInput, SearchSpecInput, WarmPoolSpecInput } from './mod.ts'

/** A spec that the API server must reject: the valid one with changes (null: left out), and the expected messages. */
export type BadObject = { kind: string; because: string; changed: Record<string, unknown>; messages: readonly RegExp[] }

const goodSearch: SearchSpecInput = { query: 'thinkpad' }
const goodBranch: BranchSpecInput = { slug: 'graz' }
const goodJob: GenerationJobSpecInput = { chainId: 'c1', nodeId: 'n1' }
const goodPool: WarmPoolSpecInput = { workload: 'search', replicas: 2 }

/** The minimal spec of each kind. */
export const goodSpecs: Record<string, object> = {
  Search: goodSearch,
  Branch: goodBranch,
  GenerationJob: goodJob,
  WarmPool: goodPool,
}

const bad =
  (kind: string) =>
  (because: string, changed: Record<string, unknown>, ...messages: readonly RegExp[]): BadObject => ({
    kind,
    because,
    changed,
    messages,
  })

const search = bad('Search')
const branch = bad('Branch')
const job = bad('GenerationJob')
const pool = bad('WarmPool')
const filters = (value: object) => ({ filters: value })
const resources = (value: object) => ({ resources: value })
const terms = (count: number) => Array.from({ length: count }, (_, index) => `term ${index}`)

export const badObjects: readonly BadObject[] = [
  search('no query', { query: null }, /spec\.query: Required value/),
  search('an empty query', { query: '' }, /spec\.query.*at least 1 chars/),
  search('a blank query', { query: '   ' }, /spec\.query.*query must not be blank: state what to search for/),
  search('a query of 501 characters', { query: 'x'.repeat(501) }, /spec\.query: Too long: may not be more than 500/),
  search('no page', { pages: 0 }, /spec\.pages.*greater than or equal to 1/),
  search('1000 pages', { pages: 1000 }, /spec\.pages.*less than or equal to 999/),
  search('half a page', { pages: 1.5 }, /spec\.pages.*must be of type integer/),
  search(
    'an unknown adapter',
    { adapter: 'browser' },
    /spec\.adapter: Unsupported value: "browser".*"auto", "api", "scraper"/,
  ),
  search('a user of 254 characters', { user: 'u'.repeat(254) }, /spec\.user: Too long: may not be more than 253/),
  search('a TTL below 0', { ttlSecondsAfterFinished: -1 }, /spec\.ttlSecondsAfterFinished.*greater than or equal to 0/),
  search(
    'a TTL over a year',
    { ttlSecondsAfterFinished: 31_536_001 },
    /spec\.ttlSecondsAfterFinished.*less than or equal to 31536000/,
  ),
  search('a deadline of 0', { activeDeadlineSeconds: 0 }, /spec\.activeDeadlineSeconds.*greater than or equal to 1/),
  search(
    'a deadline over a day',
    { activeDeadlineSeconds: 86_401 },
    /spec\.activeDeadlineSeconds.*less than or equal to 86400/,
  ),
  search('suspend as text', { suspend: 'yes' }, /spec\.suspend.*must be of type boolean/),
  search(
    'minPrice above maxPrice',
    filters({ minPrice: 20, maxPrice: 10 }),
    /spec\.filters\.minPrice: Forbidden: minPrice must not be above maxPrice/,
  ),
  search('a price below 0', filters({ minPrice: -1 }), /spec\.filters\.minPrice.*greater than or equal to 0/),
  search(
    'a highest price below 0',
    filters({ maxPrice: -0.01 }),
    /spec\.filters\.maxPrice.*greater than or equal to 0/,
  ),
  search('a price as text', filters({ maxPrice: '10' }), /spec\.filters\.maxPrice.*must be of type number/),
  search(
    '201 terms to have',
    filters({ mustInclude: terms(201) }),
    /spec\.filters\.mustInclude: Too many: 201: must have at most 200/,
  ),
  search(
    '201 terms not to have',
    filters({ mustExclude: terms(201) }),
    /spec\.filters\.mustExclude: Too many: 201: must have at most 200/,
  ),
  search(
    'a term of 101 characters',
    filters({ mustExclude: ['x'.repeat(101)] }),
    /spec\.filters\.mustExclude\[0\]: Too long: may not be more than 100/,
  ),
  search('an empty term', filters({ mustInclude: ['ok', ''] }), /spec\.filters\.mustInclude\[1\].*at least 1 chars/),
  search('terms as one text', filters({ mustInclude: 'a, b' }), /spec\.filters\.mustInclude.*must be of type array/),
  search(
    'an unknown mode',
    filters({ mustIncludeMode: 'some' }),
    /spec\.filters\.mustIncludeMode: Unsupported value: "some".*"all", "any", "groups"/,
  ),

  branch(
    'neither slug nor label',
    { slug: null },
    /spec\.slug: Required value: slug or label is required: without a slug it is derived from the label/,
  ),
  branch('a slug in capitals', { slug: 'Graz' }, /spec\.slug.*should match '\^\[a-z0-9-\]\+\$'/),
  branch('a slug of 41 characters', { slug: 'a'.repeat(41) }, /spec\.slug: Too long: may not be more than 40/),
  branch('an empty slug', { slug: '' }, /spec\.slug/),
  branch(
    'a label that yields no slug',
    { slug: null, label: '東京' },
    /spec\.label: Forbidden: label has no letter a-z and no digit to derive a slug from: set slug/,
  ),
  branch('a label of 254 characters', { label: 'l'.repeat(254) }, /spec\.label: Too long: may not be more than 253/),
  branch(
    'a tenant of 254 characters',
    { tenantId: 't'.repeat(254) },
    /spec\.tenantId: Too long: may not be more than 253/,
  ),
  branch('an unknown state', { state: 'Paused' }, /spec\.state: Unsupported value: "Paused".*"Active", "Inactive"/),
  branch(
    'storage that is not a quantity',
    { storage: '1 gigabyte' },
    /spec\.storage.*storage must be a quantity, such as/,
  ),
  branch('no storage', { storage: '0' }, /spec\.storage.*storage must be greater than 0/),
  branch('storage below 0', { storage: '-1Gi' }, /spec\.storage.*storage must be greater than 0/),
  branch('storage as a number below 1', { storage: 0 }, /spec\.storage.*storage must be greater than 0/),
  branch(
    'storage with too many digits',
    { storage: '1'.repeat(33) },
    /spec\.storage: Too long: may not be more than 32/,
  ),
  branch('storage as a list', { storage: ['1Gi'] }, /spec\.storage.*must be of type integer,string/),
  branch('no day of retention', { retentionDays: 0 }, /spec\.retentionDays.*greater than or equal to 1/),
  branch('3651 days of retention', { retentionDays: 3651 }, /spec\.retentionDays.*less than or equal to 3650/),
  branch('a privileged port', { port: 1023 }, /spec\.port.*greater than or equal to 1024/),
  branch('a port out of range', { port: 65_536 }, /spec\.port.*less than or equal to 65535/),

  job('no chain', { chainId: null }, /spec\.chainId: Required value/),
  job('no node', { nodeId: null }, /spec\.nodeId: Required value/),
  job('a node with a relative path', { nodeId: '../secret' }, /spec\.nodeId.*should match/),
  job('input without a key', { input: {} }, /spec\.input\.key: Required value/),
  job('a prompt of 2001 characters', { prompt: 'p'.repeat(2001) }, /spec\.prompt: Too long: may not be more than 2000/),
  job('a seed below 0', { seed: -1 }, /spec\.seed.*greater than or equal to 0/),
  job('a seed that a double cannot hold', { seed: 2 ** 53 }, /spec\.seed.*less than or equal to 9007199254740991/),
  job('less than a second', { durationSeconds: 0.5 }, /spec\.durationSeconds.*greater than or equal to 1/),
  job('more than a minute', { durationSeconds: 60.01 }, /spec\.durationSeconds.*less than or equal to 60/),
  job('context below 0', { contextSeconds: -1 }, /spec\.contextSeconds.*greater than or equal to 0/),
  job('context over 20 minutes', { contextSeconds: 1200.5 }, /spec\.contextSeconds.*less than or equal to 1200/),
  job(
    'an unknown generator',
    { generator: 'choir' },
    /spec\.generator: Unsupported value: "choir".*"auto", "recombine", "onnx", "mock"/,
  ),
  job('11 more attempts', { backoffLimit: 11 }, /spec\.backoffLimit.*less than or equal to 10/),
  job('9 GPUs', resources({ gpu: 9 }), /spec\.resources\.gpu.*less than or equal to 8/),
  job(
    'a required GPU, but none',
    resources({ gpu: 0, gpuRequired: true }),
    /spec\.resources\.gpu: Forbidden: gpu must not be 0 if gpuRequired is true/,
  ),
  job(
    'a class of GPU, but none',
    resources({ gpu: 0, class: 'L4' }),
    /spec\.resources\.gpu: Forbidden: gpu must not be 0 if class names a GPU/,
  ),
  job(
    'CPUs that are not a quantity',
    resources({ cpu: 'two' }),
    /spec\.resources\.cpu.*cpu must be a quantity, such as/,
  ),
  job('no memory', resources({ memory: 0 }), /spec\.resources\.memory.*memory must be greater than 0/),

  pool('no workload', { workload: null }, /spec\.workload: Required value/),
  pool(
    'an unknown workload',
    { workload: 'branch' },
    /spec\.workload: Unsupported value: "branch".*"search", "generation"/,
  ),
  pool('no replicas', { replicas: null }, /spec\.replicas: Required value/),
  pool('replicas below 0', { replicas: -1 }, /spec\.replicas.*greater than or equal to 0/),
  pool(
    'more than its maxReplicas',
    { replicas: 6, maxReplicas: 5 },
    /spec\.replicas: Forbidden: replicas must not be above maxReplicas/,
  ),
  pool(
    'more than the default maxReplicas',
    { replicas: 51 },
    /spec\.replicas: Forbidden: replicas must not be above maxReplicas/,
  ),
  pool('a maxReplicas of 0', { replicas: 0, maxReplicas: 0 }, /spec\.maxReplicas.*greater than or equal to 1/),
  pool('a maxReplicas of 201', { maxReplicas: 201 }, /spec\.maxReplicas.*less than or equal to 200/),
  pool('idle for more than a day', { idleSeconds: 86_401 }, /spec\.idleSeconds.*less than or equal to 86400/),
]
