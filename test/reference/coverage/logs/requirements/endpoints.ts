import { jobs, keys, kit, localBranches, logs, type Theme, theme } from '../../promised.ts'

/** Promises about endpoints. */
export const endpoints: readonly Theme[] = [
  theme(
    'Health, search and diagnosis',
    ['`GET /health` is always open', [keys, 'accepts only its own key']],
    [
      '`GET {prefix}/assets/*`, `GET {prefix}/{path}`: the web app and its files',
      ['test/contract/pages.test.ts', 'which the API does not use'],
      ['test/contract/pages.test.ts', 'compressed as the client accepts'],
    ],
    [
      '`GET /api/search` takes q, source, severity, limit',
      [jobs(''), 'searches match words, phrases, prefixes and exclusions, with severity, facets and time'],
    ],
    [
      '`domain` selects entries with a pattern of that domain',
      [logs('service'), 'stores an uploaded file, detects its format, and finds its entries'],
    ],
    [
      '`semantic=true` re-ranks',
      [logs('semantic/semantic-search'), 'finds entries with only some of the words, and ranks similar meaning first'],
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
      [logs('service'), 'a diagnosis names its keywords, its findings and the reasons'],
    ],
    [
      '`POST /api/diagnose/stream` sends status, summary, entries, reasoning, done, in this order',
      [logs('diagnose/diagnosis'), 'streams status, summary, entries, reasoning and done, in this order'],
    ],
    [
      'A source named in the question is scanned for its most recent errors, independent of the other words',
      [logs('diagnose/diagnosis'), 'reads the most recent errors of a named source, whatever their words'],
    ],
    [
      'Thinking blocks are removed in any case and across any number of lines',
      [kit('language-model/thinking-filter'), 'however the words of "%s" are cut, the same is shown'],
    ],
    [
      '`POST /api/sources/suggest` ranks sources and lists untracked names, without a language model',
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
      'Sub-sources are aggregated in the row of their host',
      [logs('collect/runs'), 'sub-source ids are aggregated under the host row'],
    ],
    [
      '`DELETE /api/sources/{id}` removes entries and their index rows',
      [logs('maintenance/maintenance'), 'DELETE /api/sources/{id} removes entries and full-text rows'],
    ],
    [
      '`POST /api/sources/{id}/glean` collects one source again',
      [logs('collect/runs'), 'one source is collected by its id'],
    ],
    [
      '`POST /api/tasks/glean` starts a manual collection run',
      [logs('collect/runs'), 'a manual run collects from all enabled sources'],
    ],
    [
      '`force=true` bypasses the unchanged-file check',
      [logs('collect/runs'), 'force=true bypasses the unchanged-file check of a source'],
    ],
    [
      'Files are fingerprinted by hash, modification time and size',
      [logs('collect/files/file-collector'), 'files are fingerprinted by hash, modification time and size'],
    ],
    [
      '`POST /api/ingest/upload` recognises the format',
      [logs('service'), 'stores an uploaded file, detects its format, and finds its entries'],
    ],
    [
      '`POST /api/glean/batch` takes parsed entries',
      [logs('service'), 'pushed entries retain the fields of their sender and are stored once'],
    ],
    ['`GET /api/stats` shows the last 24 hours', [logs('sources/stats'), 'GET /api/stats: 24-hour window']],
    [
      '`GET /api/watch/status` reports the state of the watcher',
      [logs('collect/runs'), 'one of two replicas watches, and both report the same state'],
    ],
    ['`POST /api/watch/reload` reads the configuration again', [logs('collect/runs'), 'either accepts a reload']],
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
      '`GET /api/incidents/{id}/bundle` exports, sanitized on request',
      [logs('bundles/bundles'), 'GET /api/incidents/{id}/bundle exports a versioned JSON object'],
      [logs('bundles/bundles'), 'a sanitize option masks IPv4 addresses'],
    ],
    [
      '`POST /api/incidents/{id}/send` pushes to the configured endpoint, sanitized on request',
      [
        logs('bundles/bundles'),
        'pushes the bundle to the configured bundle endpoint, and supports the sanitize option',
      ],
    ],
    [
      '`POST /api/incidents/{id}/export` creates a ticket',
      [logs('tickets/tickets'), 'Cloud: version 3, Basic'],
      [logs('tickets/tickets'), 'Server and Data Center: version 2'],
      [logs('tickets/tickets'), 'the fullest incident fits the limits of one request'],
    ],
    [
      '`POST /api/bundles`, `GET /api/bundles` receive and list',
      [logs('bundles/bundles'), 'POST /api/bundles receives what was exported'],
    ],
    ['`GET /api/sent-bundles` is the history of sent bundles', [logs('bundles/bundles'), 'GET /api/sent-bundles']],
  ),
  theme(
    'Setup and SSH targets',
    [
      '`GET /api/setup/status` reports whether there are sources',
      [logs('setup/setup'), 'leads from an empty configuration to written sources: status, discover, write'],
    ],
    [
      '`GET /api/setup/discover` finds journald, docker and log files',
      [logs('setup/setup'), 'leads from an empty configuration to written sources: status, discover, write'],
    ],
    [
      '`POST /api/setup/write` appends to the sources file',
      [
        logs('collect/sources-file'),
        'selected sources are appended to the sources file, and its comments are preserved',
      ],
    ],
    [
      '`POST /api/setup/interpret` uses keywords, then a language model, then answers null with a reason',
      [
        logs('setup/setup'),
        'interpret uses the model for descriptions without a keyword, and accepts only logs that exist',
      ],
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
      [logs('scoring/scoring'), 'GET /api/anomaly/status and /api/cybersec/status show the outcome of the last run'],
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
      'Media-monitor notifications are entries of the source `media-monitor`',
      [logs('media-monitor/media-monitor'), 'stores a payload as an entry under source media-monitor'],
    ],
    [
      'The media-monitor trigger `error` is CRITICAL, `buffer` is WARN, any other has no severity',
      [logs('media-monitor/media-monitor'), 'any other trigger has no severity'],
    ],
    [
      'Media-monitor notifications are searchable after each write',
      [logs('media-monitor/media-monitor'), 'searchable when the answer comes'],
    ],
    [
      '`GET`, `PATCH /api/settings`',
      [jobs('-settings'), 'a PATCH changes only the named settings and is visible at every edge'],
    ],
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
      [jobs(''), 'a branch takes entries with its own key through the edge and is included in searches'],
    ],
    [
      '`GET /api/orchard/branches`, active and inactive',
      [localBranches, 'counts of stopped branches are stored, and only active branches are started with the server'],
    ],
    ['`DELETE /api/orchard/branches/{slug}`', [jobs(''), 'a deactivated branch closes its port']],
    [
      '`POST /api/orchard/branches/{slug}/anonymize`: keyed pseudonyms',
      [jobs(''), 'anonymizing a branch replaces names and addresses permanently by consistent pseudonyms'],
    ],
  ),
]
