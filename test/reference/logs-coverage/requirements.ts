/** A promise to users of the log service, and the tests that hold it: file, and (a part of) the title there. */
export type Promised = { promise: string; tests: readonly Held[] }
export type Held = readonly [file: string, title: string]
export type Theme = { title: string; promises: readonly Promised[] }

const logs = (path: string) => `services/logs/src/${path}.test.ts`
const jobs = (name: string) => `test/main-jobs/logs${name}.test.ts`
const keys = 'test/contract/logs-keys.test.ts'
const localBranches = 'services/branch/src/local/local-branches.test.ts'

const theme = (title: string, ...rows: readonly (readonly [promise: string, ...tests: Held[]])[]): Theme => ({
  title,
  promises: rows.map(([promise, ...tests]) => ({ promise, tests })),
})

export const themes: readonly Theme[] = [
  theme(
    'What the service does',
    [
      'Collects from local files and directories',
      [logs('collect/files/file-collector'), 'a folder is gone through with all its folders'],
      [logs('collect/files/file-collector'), 'a glob names files'],
    ],
    [
      'Collects from journald',
      [
        logs('collect/journald/journald-collector'),
        'is collected with its units as sources, its priorities as severities',
      ],
      [logs('collect/journald/journald-collector'), 'is followed: what is written comes live'],
      [logs('collect/journald/export-format'), 'is read the same however it is cut'],
    ],
    [
      'Collects from docker and podman',
      [logs('collect/docker/container-collector'), 'gives its containers as sources'],
    ],
    ['Collects from remote hosts over SSH', [logs('collect/ssh/connection'), 'is let in by its key']],
    ['Collects from uploads', [jobs(''), 'an upload is recognised, stored and counted']],
    ['Collects from pushed batches', [logs('service'), 'pushed entries keep what their sender said, and come once']],
    [
      'Collects from a media-monitor notification agent',
      [logs('media-monitor/media-monitor'), 'stores a payload as an entry under source media-monitor'],
    ],
    [
      'Searches all text, ranked by BM25',
      [jobs(''), 'words, phrases, prefixes and exclusions find it'],
      [logs('search/search-model'), 'answers any search as a naive engine does'],
    ],
    [
      'Hybrid re-ranking is 0.6 × normalised BM25 + 0.4 × cosine similarity',
      [logs('semantic/semantic-search'), 'enables hybrid re-ranking: 0.6 normalized BM25 + 0.4 cosine'],
    ],
    [
      'Tags entries with patterns, each of one domain',
      [logs('patterns/library/library'), 'every domain has patterns, and tags are unique'],
    ],
    [
      'Diagnoses in layers: keywords, errors of named sources, windows of time, what is known of the systems',
      [logs('diagnose/diagnosis'), 'says how much, where, since when, what failed first'],
      [logs('diagnose/diagnosis'), 'tells what is known of what was asked about'],
    ],
    [
      'Asks a language model through a chat-completions endpoint in the style of OpenAI',
      [logs('diagnose/llm'), 'is asked with its name and key'],
    ],
    [
      'Makes incidents of clusters of errors by itself',
      [logs('incidents/automatic/automatic-incidents'), 'are created automatically from error clusters'],
    ],
    [
      'Detects anomalies and entries that matter for security',
      [logs('scoring/scoring'), 'what comes in is scored without being asked'],
    ],
  ),
  theme(
    'Log entries',
    [
      'An entry id is unique; entries without a timestamp do not collide',
      [logs('collect/files/file-collector'), 'equal lines without a time in two pieces of a log are both kept'],
    ],
    [
      'Sources of three or more colon segments are grouped by `<prefix>:<host>` in listings and statistics',
      [logs('sources/stats'), 'grouped sources have unit_count, entry count, error count and time range'],
    ],
    [
      '`timestamp_iso` is ISO 8601 with a `T`',
      [logs('entries/iso-time'), 'a moment is written as the language writes it'],
    ],
    [
      '`severity` is CRITICAL, ERROR, WARN or null',
      [logs('patterns/library/library'), 'the level that a line names stands, whatever its words mean'],
    ],
    ['`severity` can be overridden', [logs('kept/kept'), 'severity CRITICAL, ERROR, WARN, or null can be overridden']],
    [
      '`repeat_count` says how often a line happened',
      [logs('formats/file-parser'), 'syslog that counts its repetitions is believed'],
    ],
    [
      '`matched_patterns` lists the tags of patterns that match',
      [logs('service'), 'takes a file, tells its format, and finds what is in it'],
    ],
    [
      '`ingest_time` is when an entry came in',
      [logs('ingest/upload'), 'has the ingest_time at which its entries came in, whatever time they tell'],
      [logs('segments/retention'), 'where there is room for so many bytes, what arrived longest ago goes'],
    ],
    [
      '`anomaly_score`, `anomaly_label`, `anomaly_scored_at` are set by the anomaly scorer',
      [
        logs('scoring/scoring'),
        '%s is found, and its entries carry anomaly_score, anomaly_label and anomaly_scored_at',
      ],
    ],
    [
      '`ml_score`, `ml_label`, `ml_scored_at` are set by the security classifier',
      [logs('scoring/scoring'), 'the entry carries ml_score, ml_label and ml_scored_at'],
    ],
    [
      '`tenant_id` is the namespace, empty where there is none',
      [logs('branches/branch-node'), 'a branch keeps what it was sent under its slug and tenant'],
    ],
    [
      '`anonymized` is set by the pseudonyms of branches',
      [logs('anonymize/anonymize'), 'keeps nothing that names somebody in text, fields and source, and is marked'],
    ],
  ),
  theme(
    'Resources',
    [
      'The sources file has transports local and ssh',
      [logs('collect/sources-file'), 'a source is configured in a sources file with transport local or ssh'],
    ],
    [
      'SSH sources have the glean types journald, syslog, plaintext and docker',
      [logs('collect/sources-file'), 'SSH sources have glean types journald, syslog, plaintext, docker'],
    ],
    [
      'Statistics of a source have entry count, error count, time range and, grouped, `unit_count`',
      [logs('collect/runs'), 'configured sources are enriched with statistics'],
    ],
    [
      'An incident has id, label, start and end, notes, creation, severity and issue type',
      [logs('incidents/incidents'), 'an incident has the fields of the spec'],
    ],
    [
      'An incident made by itself has the issue type `auto:<source_id>`',
      [logs('incidents/automatic/automatic-incidents'), 'with issue_type auto:<source_id>'],
    ],
    [
      'The detail of an incident has up to 100 entries, sorted by time',
      [logs('incidents/incidents'), 'detail returns up to 100 associated entries'],
      [logs('incidents/incidents'), 'sorted by time'],
    ],
    [
      'A bundle is a versioned JSON object with the incident and its entries',
      [logs('bundles/bundles'), 'GET /api/incidents/{id}/bundle exports a versioned JSON object'],
    ],
    [
      'Received bundles are listed by when they were bundled and by issue type',
      [logs('bundles/bundles'), 'GET /api/bundles lists it by bundling time and issue type'],
    ],
    [
      'Sent bundles are recorded for every export',
      [logs('bundles/bundles'), 'sent bundles are recorded for every export: GET /api/sent-bundles'],
    ],
    ...(['IPv4 addresses', 'e-mail addresses', 'user= values', 'host= values', 'password values'] as const).map(
      (what) => [`Sanitizing masks ${what}`, [logs('masking/masking'), `['${what}'`]] as const,
    ),
    ['An SSH target has the listed fields', [logs('ssh-targets/rpc'), 'with the fields of the contract']],
    [
      'Key contents are never returned by any response',
      [logs('ssh-targets/rpc'), 'never show what a key file holds, in no answer and no error'],
    ],
    [
      'A detection has a scorer, anomaly or cybersec, and can be acknowledged',
      [
        logs('scoring/scoring'),
        'detection, unacknowledged: POST /api/anomaly/detections/{id}/acknowledge makes it acknowledged',
      ],
    ],
    [
      'The context has facts, documents and chunks',
      [logs('context/context'), 'a diagnosis gets the facts and chunks that its question names'],
    ],
    [
      'A block-list candidate is scanned from logs, has a status, and is pushed to or removed from a DNS filter',
      [logs('blocklist/blocklist'), 'candidate → approved → blocked (pushed) → unblocked'],
    ],
    [
      'All settings have the defaults of the spec',
      [logs('settings/settings'), 'has the defaults of the spec until something is set'],
    ],
    ['`tech_level` selects one of three prompts', [jobs('-settings'), 'in the words of the tech_level']],
    ['A branch has a port, counted up from 8538', [localBranches, 'ports count up, past those that somebody else has']],
    ['A branch has a data directory', [localBranches, 'its data in a folder of its own']],
  ),
  theme(
    'States',
    [
      'A detection is acknowledged',
      [
        logs('scoring/scoring'),
        'detection, unacknowledged: POST /api/anomaly/detections/{id}/acknowledge makes it acknowledged',
      ],
    ],
    [
      'DELETE makes a branch inactive and stops it',
      [jobs(''), 'that are deactivated close their port and keep their entries, key and port'],
    ],
    [
      'Grafting provisions the directory, starts the branch on the next free port, routes to it, and answers with submit_endpoint and api_key',
      [jobs(''), 'take entries with a key of their own, through the edge, and are searched along'],
    ],
    [
      'The watcher runs from the start and tails configured sources',
      [logs('collect/watch/watcher'), 'the watcher tails configured sources from the start'],
    ],
    ['The watcher stops at the end', [logs('collect/watch/watcher'), 'the watcher ends without losing a line']],
    [
      'A reload reads the configuration again',
      [logs('collect/watch/watcher'), 'a reload reads the configuration again, and nothing is lost by it'],
    ],
    [
      'A run starts by schedule',
      [logs('collect/runs'), 'the schedule collects every so often, and one of the replicas does it'],
    ],
    [
      'A lock prevents a run beside another',
      [logs('collect/runs'), 'a run is refused while a run is in progress, on another replica, too'],
    ],
    [
      'Deleting a group deletes all its units by prefix',
      [logs('kept/kept'), 'DELETE /api/sources/{id} of a group stem deletes all member units by prefix match'],
    ],
  ),
  theme(
    'Health, search and diagnosis',
    ['`GET /health` is always open', [keys, 'lets in its own key and no other']],
    [
      '`GET /api/search` takes q, source, severity, limit',
      [jobs(''), 'words, phrases, prefixes and exclusions find it, with severity, facets and time'],
    ],
    [
      '`domain` keeps entries with a pattern of that domain',
      [logs('service'), 'takes a file, tells its format, and finds what is in it'],
    ],
    [
      '`semantic=true` re-ranks',
      [
        logs('semantic/semantic-search'),
        'finds what has only some of the words, and puts what means the same before it',
      ],
    ],
    [
      'Without a model, or when it fails, a search falls back to BM25',
      [
        logs('semantic/semantic-search'),
        'with the embedding backend unavailable or failing, a search falls back to BM25',
      ],
    ],
    [
      '`POST /api/diagnose` answers with a summary that has `by_domain`',
      [logs('service'), 'a diagnosis names what it searched for, what it found, and why'],
    ],
    [
      '`POST /api/diagnose/stream` sends status, summary, entries, reasoning, done, in this order',
      [logs('diagnose/diagnosis'), 'streams status, summary, entries, reasoning and done, in this order'],
    ],
    [
      'A named source is scanned for its most recent errors, whatever the words',
      [logs('diagnose/diagnosis'), 'reads the most recent errors of a named source, whatever their words'],
    ],
    [
      'Thinking blocks are removed, whatever their case and however many lines they have',
      [logs('diagnose/thinking'), 'however the words of "%s" are cut, the same is shown'],
    ],
    [
      '`POST /api/sources/suggest` ranks sources and names what is not tracked, without a language model',
      [logs('sources/suggest'), 'have scores from 0 to 1, best first, ten at most'],
      [logs('sources/suggest'), 'untracked names'],
    ],
  ),
  theme(
    'Sources and collecting',
    [
      '`GET /api/sources` groups by stem',
      [logs('sources/stats'), 'grouped sources have unit_count, entry count, error count and time range'],
    ],
    [
      '`GET /api/sources/configured` shows SSH sources before they were collected, with 0 entries',
      [logs('collect/runs'), 'SSH sources appear before the first glean with entry count 0'],
    ],
    [
      'Sub-sources are added up under the row of their host',
      [logs('collect/runs'), 'sub-source ids are aggregated under the host row'],
    ],
    [
      '`DELETE /api/sources/{id}` removes entries and what finds them',
      [logs('kept/kept'), 'DELETE /api/sources/{id} removes entries and full-text rows'],
    ],
    [
      '`POST /api/sources/{id}/glean` collects one source again',
      [logs('collect/runs'), 'one source is collected again by its id'],
    ],
    [
      '`POST /api/tasks/glean` collects by hand',
      [logs('collect/runs'), 'a manual run collects from all enabled sources'],
    ],
    [
      '`force=true` bypasses the check for what is unchanged',
      [logs('collect/runs'), 'force=true bypasses the unchanged-file check of a source'],
    ],
    [
      'Files are fingerprinted by hash, modification time and size',
      [logs('collect/files/file-collector'), 'files are fingerprinted by hash, modification time and size'],
    ],
    [
      '`POST /api/ingest/upload` recognises the format',
      [logs('service'), 'takes a file, tells its format, and finds what is in it'],
    ],
    [
      '`POST /api/glean/batch` takes parsed entries',
      [logs('service'), 'pushed entries keep what their sender said, and come once'],
    ],
    ['`GET /api/stats` shows the last 24 hours', [logs('sources/stats'), 'GET /api/stats: 24-hour window']],
    [
      '`GET /api/watch/status` tells of the watcher',
      [logs('collect/runs'), 'of two replicas one watches, and both tell the same'],
    ],
    [
      '`POST /api/watch/reload` reads the configuration again',
      [logs('collect/runs'), 'a reload may be asked of either'],
    ],
  ),
  theme(
    'Incidents and bundles',
    [
      '`POST /api/incidents`, `GET /api/incidents`',
      [logs('incidents/incidents'), 'POST /api/incidents and GET /api/incidents create and list'],
    ],
    [
      '`GET /api/incidents/{id}`, `DELETE /api/incidents/{id}`',
      [logs('incidents/incidents'), 'GET /api/incidents/{id} shows entries'],
      [logs('incidents/incidents'), 'DELETE /api/incidents/{id} deletes'],
    ],
    [
      '`GET /api/incidents/{id}/bundle` exports, sanitized where asked',
      [logs('bundles/bundles'), 'GET /api/incidents/{id}/bundle exports a versioned JSON object'],
      [logs('bundles/bundles'), 'a sanitize option masks IPv4 addresses'],
    ],
    [
      '`POST /api/incidents/{id}/send` pushes to the configured endpoint, sanitized where asked',
      [
        logs('bundles/bundles'),
        'pushes the bundle to the configured bundle endpoint, and supports the sanitize option',
      ],
    ],
    [
      '`POST /api/incidents/{id}/export` makes a ticket',
      [logs('tickets/tickets'), 'Cloud: version 3, Basic'],
      [logs('tickets/tickets'), 'Server and Data Center: version 2'],
      [logs('tickets/tickets'), 'the fullest incident fits the limits of one request'],
    ],
    [
      '`POST /api/bundles`, `GET /api/bundles` receive and list',
      [logs('bundles/bundles'), 'POST /api/bundles receives what was exported'],
    ],
    ['`GET /api/sent-bundles` is the history of what went out', [logs('bundles/bundles'), 'GET /api/sent-bundles']],
  ),
  theme(
    'Setup and SSH targets',
    [
      '`GET /api/setup/status` says whether there are sources',
      [logs('setup/setup'), 'goes from nothing to sources that are written down: status, discover, write'],
    ],
    [
      '`GET /api/setup/discover` finds journald, docker and log files',
      [logs('setup/setup'), 'goes from nothing to sources that are written down: status, discover, write'],
    ],
    [
      '`POST /api/setup/write` appends to the sources file',
      [logs('collect/sources-file'), 'selected sources are appended to the sources file, and its comments stay'],
    ],
    [
      '`POST /api/setup/interpret` goes by keywords, then a language model, then null',
      [logs('setup/setup'), 'interpret asks the model for what no keyword knows, and takes only what exists'],
    ],
    [
      '`GET /api/setup/scan` ranks by 0.7 recency + 0.3 size, or 0.4 + 0.2 + 0.4 keyword match',
      [
        logs('setup/scan'),
        'score is 0.7 recency + 0.3 size, or 0.4 recency + 0.2 size + 0.4 keyword match when a query is given',
      ],
    ],
    [
      '`GET`, `POST /api/ssh-targets`',
      [logs('ssh-targets/rpc'), 'are created, listed newest first, edited and deleted'],
    ],
    [
      '`PATCH`, `DELETE /api/ssh-targets/{id}`',
      [logs('ssh-targets/rpc'), 'are created, listed newest first, edited and deleted'],
    ],
    [
      '`POST /api/ssh-targets/{id}/test` records last_tested, last_ok, last_error',
      [logs('ssh-targets/rpc'), 'records last_tested, last_ok and last_error'],
    ],
  ),
  theme(
    'Scoring',
    [
      '`GET /api/anomaly/status`, `GET /api/cybersec/status`',
      [logs('scoring/scoring'), 'GET /api/anomaly/status and /api/cybersec/status tell what came of the last run'],
    ],
    [
      '`POST /api/anomaly/run`, `POST /api/cybersec/run`',
      [logs('scoring/scoring'), 'a run again finds the same detections'],
      [logs('scoring/scoring'), 'while one runs another is refused with 409'],
    ],
    [
      '`GET /api/anomaly/detections` filters by scorer; `GET /api/cybersec/detections`',
      [logs('scoring/scoring'), 'GET /api/anomaly/detections has an optional scorer filter'],
    ],
    [
      '`POST /api/anomaly/detections/{id}/acknowledge`',
      [
        logs('scoring/scoring'),
        'POST /api/anomaly/detections/{id}/acknowledge makes it acknowledged, with notes, once',
      ],
    ],
  ),
  theme(
    'Context, media monitor, settings, block list',
    ['`POST`, `GET`, `DELETE /docs`', [jobs('-context'), 'POST, GET, DELETE /docs']],
    ['`POST`, `GET`, `DELETE /facts`', [jobs('-context'), 'POST, GET, DELETE /facts']],
    [
      'The wizard: schema, step, apply',
      [jobs('-context'), 'GET /wizard/schema, POST /wizard/step, POST /wizard/apply'],
    ],
    ['`GET /debug/search`', [jobs('-context'), 'GET /debug/search']],
    [
      'Notifications of a media monitor are entries of the source `media-monitor`',
      [logs('media-monitor/media-monitor'), 'stores a payload as an entry under source media-monitor'],
    ],
    [
      'Of a media monitor, `error` is CRITICAL, `buffer` WARN, anything else null',
      [logs('media-monitor/media-monitor'), 'any other trigger has no severity'],
    ],
    [
      'What a media monitor sent is searchable after each write',
      [logs('media-monitor/media-monitor'), 'searchable when the answer comes'],
    ],
    ['`GET`, `PATCH /api/settings`', [jobs('-settings'), 'a change names what changes, and is seen at every edge']],
    [
      'The block list: list, scan, update, push, unblock, test',
      [
        jobs('-blocklist'),
        'list candidates, trigger scan, update status, push to DNS filter, unblock, test connection',
      ],
    ],
  ),
  theme(
    'Branches',
    [
      '`POST /api/orchard/graft`',
      [jobs(''), 'take entries with a key of their own, through the edge, and are searched along'],
    ],
    [
      '`GET /api/orchard/branches`, active and inactive',
      [localBranches, 'what a branch last told is known while it does not run'],
    ],
    ['`DELETE /api/orchard/branches/{slug}`', [jobs(''), 'that are deactivated close their port']],
    [
      '`POST /api/orchard/branches/{slug}/anonymize`: keyed pseudonyms',
      [jobs(''), 'have what names somebody replaced for good, the same by the same'],
    ],
  ),
  theme(
    'Authentication',
    [
      'With an API key, every `/api/` route asks for it; `/health` stays open',
      [keys, 'lets in its own key and no other'],
      [keys, 'the document tells of every route of the log service which key it asks for'],
    ],
    ['Without one, no key is asked for', [jobs(''), 'an upload is recognised, stored and counted']],
    [
      'The media monitor may be asked for `X-Notifier-Token`, too',
      [logs('media-monitor/media-monitor'), 'optionally requires the header X-Notifier-Token'],
    ],
    ['Branch endpoints ask for the admin key', [jobs(''), 'are for who has the admin key; it alone is enough']],
    ['`/api/glean/batch` asks for the branch key where one is set', [keys, 'lets in its own key and no other']],
    [
      'The key of the language model is sent as a bearer token',
      [logs('diagnose/llm'), 'is asked with its name and key'],
    ],
    [
      'SSH: keys alone; their paths are checked, permissions warned of, contents never shown',
      [logs('collect/ssh/connection'), 'is let in by its key, and no password is ever offered'],
      [logs('ssh-targets/rpc'), 'take key paths in the folders for keys alone'],
      [logs('collect/ssh/connection'), 'warns of a key that others can read'],
    ],
    [
      'Offline mode sets what hubs listen to before libraries load',
      [logs('models/offline'), 'SERVICE_OFFLINE_MODE=1 sets model-hub offline variables before model libraries load'],
    ],
  ),
  theme(
    'Emissions and errors',
    [
      'Bundles are pushed to `SERVICE_BUNDLE_ENDPOINT`',
      [logs('bundles/bundles'), 'pushes the bundle to the configured bundle endpoint'],
    ],
    [
      'Matched entries are pushed to `SERVICE_SUBMIT_ENDPOINT` after each scheduled run',
      [
        logs('collect/submit/submitter'),
        'after each scheduled glean matched entries are pushed to the submit endpoint',
      ],
    ],
    [
      '503: pushing to or testing a DNS filter that is not configured',
      [logs('blocklist/blocklist'), '503: blocklist push or test when the DNS filter URL or key is unconfigured'],
    ],
    [
      '400: `device_names` that are no JSON',
      [jobs('-settings'), '400: blocklist settings where device_names is malformed JSON'],
    ],
    [
      'Uploading context documents works',
      [jobs('-context'), 'an upload of context documents stores them; it is never a 500'],
    ],
  ),
  theme(
    'Limits and storage',
    [
      'A lock of the database is waited for 30 s',
      [
        'services/kit/src/store/sqlite-dialect.test.ts',
        'a write waits for another writer without holding up the process',
      ],
      ['services/kit/src/store/sqlite-dialect.test.ts', 'a lock that is not given up in time is a 503'],
    ],
    [
      'The watcher flushes every 10 s or 100 lines',
      [logs('collect/watch/watcher'), 'the watcher flushes every 10 s or 100 lines unless told otherwise'],
    ],
    [
      'What the watcher stored is searchable at once, where the index used to follow every 3 flushes',
      [logs('collect/watch/watcher'), 'the watcher flushes every 100 lines: fewer wait, and are told as buffered'],
    ],
    [
      '`SERVICE_GLEAN_INTERVAL`, 900 s',
      [logs('config'), 'without any setting: SERVICE_GLEAN_INTERVAL 900, auto-incidents on, 5 errors within 600 s'],
      [logs('collect/runs'), 'the schedule collects every so often, and one of the replicas does it'],
    ],
    [
      '`SERVICE_AUTO_INCIDENT_THRESHOLD`, 5 errors, within `SERVICE_AUTO_INCIDENT_WINDOW`, 600 s',
      [logs('config'), 'without any setting: SERVICE_GLEAN_INTERVAL 900, auto-incidents on, 5 errors within 600 s'],
      [
        logs('incidents/automatic/find-clusters'),
        'an error is in a cluster exactly if some window with it holds enough',
      ],
    ],
    [
      '`SERVICE_AUTO_INCIDENT` is on',
      [logs('config'), 'without any setting: SERVICE_GLEAN_INTERVAL 900, auto-incidents on, 5 errors within 600 s'],
      [logs('incidents/automatic/automatic-incidents'), 'auto-incident switch: SERVICE_AUTO_INCIDENT turns them off'],
    ],
    [
      'The pool of a hybrid search is 5 times the limit, at least 100',
      [logs('semantic/semantic-search'), 'looks at a candidate pool of 5 times the limit, minimum 100'],
    ],
    [
      'A ticket has up to 50 entries, 2,000 characters a block',
      [logs('tickets/tickets'), 'up to 50 entries, 2000 characters per block'],
    ],
    [
      '`SERVICE_ANOMALY_MODEL`, `SERVICE_CYBERSEC_MODEL`, `SERVICE_CYBERSEC_THRESHOLD`',
      [logs('scoring/scoring'), 'SERVICE_CYBERSEC_MODEL adds its labels, from SERVICE_CYBERSEC_THRESHOLD on'],
      [logs('scoring/scoring'), 'SERVICE_ANOMALY_MODEL does so for the anomaly scorer'],
    ],
    [
      'Rows are in a local file by default; `SERVICE_INCIDENTS_DB` and `SERVICE_CONTEXT_DB` place incidents and context',
      [logs('stores'), 'without them the default is a local file store'],
      [logs('stores'), 'SERVICE_INCIDENTS_DB and SERVICE_CONTEXT_DB set separate incident and context stores'],
    ],
    [
      'The release is 0.7.0, its routes lie under the prefix, and its schema only grows',
      ['test/main-jobs/process.test.ts', "['logs', '0.7.0']"],
    ],
  ),
]

/** What is promised and not there yet, and why. */
export const notYet: readonly (readonly [promise: string, why: string])[] = [
  [
    '`GET {prefix}/assets/*`, `GET {prefix}/{path}`: the web app and its files',
    'The web app is a package of its own, which does not exist yet; `GET /` leads to the API document until then.',
  ],
]
