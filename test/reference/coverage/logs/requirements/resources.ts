import { jobs, kit, localBranches, logs, type Theme, theme } from '../../promised.ts'

/** Promises about the features of the service, log entries, resources and states. */
export const resources: readonly Theme[] = [
  theme(
    'Features',
    [
      'Collects from local files and directories',
      [logs('collect/files/file-collector'), 'a folder is read with all its subfolders'],
      [logs('collect/files/file-collector'), 'a glob selects files'],
      [logs('collect/files/file-collector'), 'a text in %s is read by lines'],
      [
        logs('collect/ssh/ssh-collector'),
        'that were rotated twice and compressed since the last read are read completely',
      ],
    ],
    [
      'Collects from journald',
      [
        logs('collect/journald/journald-collector'),
        'is collected with its units as sources, its priorities as severities',
      ],
      [logs('collect/journald/journald-collector'), 'is followed: new entries arrive live'],
      [logs('collect/journald/export-format'), 'is read the same at any chunk size'],
    ],
    [
      'Collects from docker and podman',
      [logs('collect/docker/container-collector'), 'reads containers as sources'],
      [logs('collect/docker/follow-containers'), 'is followed: new lines arrive live'],
    ],
    ['Collects from remote hosts over SSH', [logs('collect/ssh/connection'), 'authenticates with its key']],
    ['Collects from uploads', [jobs(''), 'an upload is recognised, stored and counted']],
    [
      'Collects from pushed batches',
      [logs('service'), 'pushed entries retain the fields of their sender and are stored once'],
    ],
    [
      'Collects from a media-monitor notification agent',
      [logs('media-monitor/media-monitor'), 'stores a payload as an entry under source media-monitor'],
    ],
    [
      'Searches all text, ranked by BM25',
      [jobs(''), 'searches match words, phrases, prefixes and exclusions'],
      [logs('search/search-model'), 'after any history of changes, restarts and repeats'],
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
      'Diagnoses in layers: keywords, errors of named sources, time windows, known facts about the systems',
      [logs('diagnose/diagnosis'), 'reports how much, where, since when, what failed first'],
      [logs('diagnose/diagnosis'), 'shows known facts about the systems that the question names'],
      [logs('diagnose/linked-causes'), 'failures all day, or by chance just before, are not among the causes'],
    ],
    [
      'Uses a language model through an OpenAI-style chat-completions endpoint',
      [kit('language-model/chat'), 'receives its name and key'],
    ],
    [
      'Creates incidents from clusters of errors automatically',
      [logs('incidents/automatic/automatic-incidents'), 'are created automatically from error clusters'],
    ],
    [
      'Detects anomalies and security-relevant entries',
      [logs('scoring/scoring'), 'new entries are scored without a request'],
    ],
  ),
  theme(
    'Log entries',
    [
      'An entry id is unique; entries without a timestamp do not collide',
      [logs('collect/files/file-collector'), 'equal lines without a time in two pieces of a log are both stored'],
    ],
    [
      'Sources of three or more colon segments are grouped by `<prefix>:<host>` in listings and statistics',
      [logs('sources/stats'), 'grouped sources have unit_count, entry count, error count and time range'],
    ],
    [
      '`timestamp_iso` is ISO 8601 with a `T`',
      [logs('entries/iso-time'), 'times are formatted as by Date.toISOString'],
    ],
    [
      '`severity` is CRITICAL, ERROR, WARN or null',
      [logs('patterns/library/library'), 'the level that a line names wins, whatever its words mean'],
    ],
    [
      '`severity` can be overridden',
      [logs('maintenance/maintenance'), 'severity CRITICAL, ERROR, WARN, or null can be overridden'],
    ],
    [
      '`repeat_count` is the number of occurrences of a line',
      [logs('formats/file-parser'), 'syslog that counts its repetitions is believed'],
    ],
    [
      '`matched_patterns` lists the tags of matching patterns',
      [logs('service'), 'stores an uploaded file, detects its format, and finds its entries'],
    ],
    [
      '`ingest_time` is the time at which an entry was ingested',
      [logs('ingest/upload'), 'sets ingest_time to the time of arrival'],
      [logs('segments/retention'), 'with a size limit, the segments that arrived first are dropped'],
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
      '`tenant_id` is the namespace, or empty',
      [logs('branches/branch-node'), 'a branch stores what it receives under its slug and tenant'],
    ],
    [
      '`anonymized` is set by the pseudonymization of branches',
      [logs('anonymize/anonymize'), 'replaces every name in text, fields and source, and is marked'],
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
      'Statistics of a source have entry count, error count, time range and, if grouped, `unit_count`',
      [logs('collect/runs'), 'configured sources are enriched with statistics'],
    ],
    [
      'An incident has id, label, start and end, notes, creation, severity and issue type',
      [logs('incidents/incidents'), 'an incident has the fields of the spec'],
    ],
    [
      'An automatic incident has the issue type `auto:<source_id>`',
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
      'Received bundles are listed by bundling time and issue type',
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
      [logs('ssh-targets/rpc'), 'never expose the content of a key file, in no response and no error'],
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
    ['`tech_level` selects one of three prompts', [jobs('-settings'), 'the prompt of the tech_level']],
    ['A branch has a port, counted up from 8538', [localBranches, 'each branch gets the next free port and keeps it']],
    [
      'A branch has a data directory',
      [localBranches, 'a branch stores its key as a hash, has its own folder, and requires the secret for calls'],
    ],
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
      [jobs(''), 'a deactivated branch closes its port and retains its entries, key and port'],
    ],
    [
      'Grafting creates the directory, starts the branch on the next free port, routes to it, and answers with submit_endpoint and api_key',
      [jobs(''), 'a branch takes entries with its own key through the edge and is included in searches'],
    ],
    [
      'The watcher runs from the start and tails configured sources',
      [logs('collect/watch/watcher'), 'the watcher tails configured sources from the start'],
    ],
    ['The watcher stops at the end', [logs('collect/watch/watcher'), 'the watcher ends without losing a line']],
    [
      'A reload reads the configuration again',
      [logs('collect/watch/watcher'), 'a reload reads the configuration again without losing lines'],
    ],
    ['A run starts by schedule', [logs('collect/runs'), 'scheduled runs repeat, each on one of the replicas']],
    [
      'A lock prevents concurrent runs',
      [logs('collect/runs'), 'a run is rejected while another is in progress, also on another replica'],
    ],
    [
      'Deleting a group deletes all its units by prefix',
      [
        logs('maintenance/maintenance'),
        'DELETE /api/sources/{id} of a group stem deletes all member units by prefix match',
      ],
    ],
  ),
]
