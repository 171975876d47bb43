import { later, read, secret, setting } from '@trellis/kit/config'
import { readSettingsKeys } from './settings/sealing-keys.ts'

/** What the log service is told. */
export const logsConfig = {
  apiKey: secret('SERVICE_API_KEY', read.text, '', 'The key that every logs route asks for; empty: none.'),
  maximumUploadMegabytes: setting('SERVICE_MAX_UPLOAD_MB', read.integer(1), 2048, 'The largest upload, as it is sent.'),
  maximumExpandedMegabytes: setting(
    'SERVICE_MAX_EXPANDED_MB',
    read.integer(1),
    20_480,
    'The largest upload, unpacked.',
  ),
  maximumBatchMegabytes: setting(
    'SERVICE_MAX_BATCH_MB',
    read.integer(1, 256),
    32,
    'The largest batch of pushed entries, unpacked.',
  ),
  scanDirectories: setting(
    'SERVICE_SCAN_DIRS',
    read.list,
    [],
    'Folders that the setup looks through for log files, parted by commas; where logs lie by custom unless told.',
  ),
  formatsDirectory: setting(
    'SERVICE_FORMATS_DIR',
    read.optional(read.text),
    undefined,
    'A folder of log formats of your own; formats in the data directory unless told.',
  ),
  spoolMegabytes: setting(
    'LOGS_SPOOL_MB',
    read.integer(1, 16_777_216),
    4_096,
    'Disk for zip archives that are being read; an upload beyond it is refused for a while.',
  ),
  segmentEntries: setting(
    'LOGS_SEGMENT_ENTRIES',
    read.integer(1_000, 1_000_000),
    131_072,
    'Entries kept in memory before they become a segment.',
  ),
  cacheMegabytes: setting('LOGS_CACHE_MB', read.integer(8, 65_536), 96, 'Memory for what was read from segments.'),
  inFlightMegabytes: setting(
    'LOGS_IN_FLIGHT_MB',
    read.integer(1, 1024),
    8,
    'Memory for uploads under way; a sender past it waits.',
  ),
  pushedMegabytes: setting(
    'LOGS_PUSHED_MB',
    read.integer(1, 65_536),
    128,
    'Memory for pushed batches that are being stored; what is beyond it is refused for a while.',
  ),
  localMegabytes: setting(
    'LOGS_LOCAL_MB',
    read.integer(16, 16_777_216),
    4_096,
    'Disk for copies of segments that replicas share; unused where they are kept on this disk anyway.',
  ),
  reservedMegabytes: setting(
    'LOGS_RESERVED_MB',
    read.integer(0, 1_048_576),
    64,
    'While less is free on the disk of the entries, nothing more is taken: 503 until there is. Of what replicas share, the store says so.',
  ),
  idleSeconds: setting(
    'LOGS_IDLE_SECONDS',
    read.integer(0, 86_400),
    30,
    'After so long without work the threads that parse and index end; 0 keeps them.',
  ),
  branchWaitMilliseconds: setting(
    'LOGS_BRANCH_WAIT_MS',
    read.integer(10, 60_000),
    3_000,
    'How long a search waits for a branch; one that takes longer is left out and named.',
  ),
  retentionDays: setting(
    'SERVICE_RETENTION_DAYS',
    read.optional(read.number(0.01, 36_500)),
    undefined,
    'Entries go so many days after they arrived, or a tenth of that later; sources may have days of their own. Empty keeps them for ever.',
  ),
  retentionGigabytes: setting(
    'SERVICE_RETENTION_GB',
    read.optional(read.number(0.001, 1_000_000)),
    undefined,
    'Room for entries; what arrived longest ago goes first. Empty: as much as there is.',
  ),
  llmBaseUrl: setting(
    'LLM_BASE_URL',
    read.optional(read.url),
    undefined,
    'A chat-completions server in the style of OpenAI.',
  ),
  llmModel: setting('LLM_MODEL', read.text, '', 'The model to ask it for.'),
  llmApiKey: secret('LLM_API_KEY', read.text, '', 'Sent to it as a bearer token.'),
  blockPrivateUpstreams: setting(
    'SERVICE_BLOCK_PRIVATE_UPSTREAMS',
    read.flag,
    false,
    'Refuses upstreams at private addresses.',
  ),
  settingsKeys: secret(
    'SERVICE_SETTINGS_KEY',
    readSettingsKeys,
    [],
    'What secrets among the settings are encrypted with, the same for all replicas; when it is changed: new,old. Alone on a data directory, a key is drawn there.',
  ),
  incidentsDatabase: secret(
    'SERVICE_INCIDENTS_DB',
    read.optional(read.text),
    undefined,
    'A store of its own for incidents: the address of a Postgres database, or on one machine a folder.',
  ),
  watch: setting(
    'LOGS_WATCH',
    read.flag,
    true,
    'Tails local sources as they are written to; without it they are collected on schedule alone.',
  ),
  sourcesFile: setting(
    'SERVICE_SOURCES_FILE',
    read.optional(read.text),
    undefined,
    'The YAML file with the sources to collect; sources.yaml in the data directory unless told.',
  ),
  sshKeyFolders: setting(
    'SERVICE_SSH_KEY_DIRS',
    read.list,
    [],
    'Folders, comma-separated, in which keys for remote hosts may lie; ~/.ssh and ssh in the data directory unless told.',
  ),
  contextDatabase: secret(
    'SERVICE_CONTEXT_DB',
    read.optional(read.text),
    undefined,
    'A store of its own for the context: the address of a Postgres database, or on one machine a folder.',
  ),
  gleanIntervalSeconds: setting(
    'SERVICE_GLEAN_INTERVAL',
    read.integer(1, 86_400),
    900,
    'Seconds between two rounds of collecting.',
  ),
  submitEndpoint: setting(
    'SERVICE_SUBMIT_ENDPOINT',
    read.optional(read.url),
    undefined,
    'Where collected entries that patterns match are pushed after each scheduled run: the address for batches of another log service.',
  ),
  bundleEndpoint: setting('SERVICE_BUNDLE_ENDPOINT', read.optional(read.url), undefined, 'Where bundles are sent.'),
  bundleToken: secret('SERVICE_BUNDLE_TOKEN', read.text, '', 'Sent there as a bearer token.'),
  submitKey: secret('SERVICE_SUBMIT_KEY', read.text, '', 'Sent there as a bearer token.'),
  autoIncident: later(setting('SERVICE_AUTO_INCIDENT', read.flag, true, 'Makes incidents of clusters of errors.')),
  autoIncidentThreshold: later(
    setting('SERVICE_AUTO_INCIDENT_THRESHOLD', read.integer(1, 1_000_000), 5, 'Errors that make an incident.'),
  ),
  autoIncidentWindowSeconds: later(
    setting('SERVICE_AUTO_INCIDENT_WINDOW', read.integer(1, 86_400), 600, 'Seconds within which they count.'),
  ),
  embeddingModel: setting(
    'SERVICE_EMBEDDING_MODEL',
    read.optional(read.text),
    undefined,
    'The folder of a model for meanings, in the layout that Hugging Face has for ONNX; searches with semantic=true use it.',
  ),
  semanticWaitMilliseconds: setting(
    'LOGS_SEMANTIC_WAIT_MS',
    read.integer(10, 60_000),
    4_000,
    'How long a search waits for the model for meanings; one that takes longer ranks by words.',
  ),
  anomalyModel: setting(
    'SERVICE_ANOMALY_MODEL',
    read.optional(read.text),
    undefined,
    'The folder of a text classifier that is added to what the anomaly scorer knows by itself.',
  ),
  securityModel: setting(
    'SERVICE_CYBERSEC_MODEL',
    read.optional(read.text),
    undefined,
    'The folder of a text classifier that is added to the rules of the security scorer.',
  ),
  securityDevice: setting(
    'SERVICE_CYBERSEC_DEVICE',
    read.text,
    'cpu',
    'The device that it runs on: cpu, or another that onnxruntime knows on this machine, such as cuda.',
  ),
  securityThreshold: setting(
    'SERVICE_CYBERSEC_THRESHOLD',
    read.number(0, 1),
    0.5,
    'The probability from which what that model says is a detection.',
  ),
  offlineMode: setting(
    'SERVICE_OFFLINE_MODE',
    read.flag,
    false,
    'Tells libraries for models to stay off the network. Models are read from folders in any case, never fetched.',
  ),
}

export type LogsConfig = { readonly [Name in keyof typeof logsConfig]: (typeof logsConfig)[Name]['fallback'] }
