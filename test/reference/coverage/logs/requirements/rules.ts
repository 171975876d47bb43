import { jobs, keys, kit, logs, type Theme, theme } from '../../promised.ts'

/** Promises about the whole service: authentication, emissions, errors, limits. */
export const rules: readonly Theme[] = [
  theme(
    'Authentication',
    [
      'With an API key, every `/api/` route requires it; `/health` stays open',
      [keys, 'accepts only its own key'],
      [keys, 'the document declares the key of every route of the log service'],
    ],
    ['Without an API key, no key is required', [jobs(''), 'an upload is recognised, stored and counted']],
    [
      'The media monitor can be required to send `X-Notifier-Token`',
      [logs('media-monitor/media-monitor'), 'optionally requires the header X-Notifier-Token'],
    ],
    ['Branch endpoints require the admin key', [jobs(''), 'branch endpoints need the admin key and nothing else']],
    ['`/api/glean/batch` requires the branch key if one is set', [keys, 'accepts only its own key']],
    [
      'The key of the language model is sent as a bearer token',
      [kit('language-model/chat'), 'receives its name and key'],
    ],
    [
      'SSH uses keys only; their paths are checked, loose permissions are warned about, contents are never shown',
      [logs('collect/ssh/connection'), 'authenticates with its key, and never offers a password'],
      [logs('ssh-targets/rpc'), 'accept key paths in the key folders only'],
      [logs('collect/ssh/connection'), 'has a warning for a key that others can read'],
    ],
    [
      'Offline mode sets the variables of model hubs before libraries load',
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
      '503: pushing to or testing an unconfigured DNS filter',
      [logs('blocklist/blocklist'), '503: blocklist push or test when the DNS filter URL or key is unconfigured'],
    ],
    [
      '400: `device_names` that is not JSON',
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
      'A write waits up to 30 s for a database lock',
      [
        'services/kit/src/store/sqlite-dialect.test.ts',
        'a write waits for another writer without blocking the event loop',
      ],
      [
        'services/kit/src/store/sqlite-dialect.test.ts',
        'a write fails with 503 and a time to retry after when the lock is not released in time',
      ],
    ],
    [
      'The watcher flushes every 10 s or 100 lines',
      [logs('collect/watch/watcher'), 'by default, the watcher flushes every 10 s or 100 lines'],
    ],
    [
      'Watched entries are searchable at once, not only after every third flush',
      [logs('collect/watch/watcher'), 'the watcher flushes every 100 lines, and reports fewer as buffered'],
    ],
    [
      '`SERVICE_GLEAN_INTERVAL`, 900 s',
      [logs('config'), 'without any setting: SERVICE_GLEAN_INTERVAL 900, auto-incidents on, 5 errors within 600 s'],
      [logs('collect/runs'), 'scheduled runs repeat, each on one of the replicas'],
    ],
    [
      '`SERVICE_AUTO_INCIDENT_THRESHOLD`, 5 errors, within `SERVICE_AUTO_INCIDENT_WINDOW`, 600 s',
      [logs('config'), 'without any setting: SERVICE_GLEAN_INTERVAL 900, auto-incidents on, 5 errors within 600 s'],
      [
        logs('incidents/automatic/find-clusters'),
        'an error is in a cluster exactly if some window around it reaches the threshold',
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
      'A ticket has up to 50 entries, 2,000 characters per block',
      [logs('tickets/tickets'), 'up to 50 entries, 2000 characters per block'],
    ],
    [
      '`SERVICE_ANOMALY_MODEL`, `SERVICE_CYBERSEC_MODEL`, `SERVICE_CYBERSEC_THRESHOLD`',
      [logs('scoring/scoring'), 'SERVICE_CYBERSEC_MODEL adds its labels, from SERVICE_CYBERSEC_THRESHOLD on'],
      [logs('scoring/scoring'), 'SERVICE_ANOMALY_MODEL does so for the anomaly scorer'],
    ],
    [
      'Rows are in a local file by default; `SERVICE_INCIDENTS_DB` and `SERVICE_CONTEXT_DB` set separate stores for incidents and context',
      [logs('stores'), 'without them the default is a local file store'],
      [logs('stores'), 'SERVICE_INCIDENTS_DB and SERVICE_CONTEXT_DB set separate incident and context stores'],
    ],
    [
      'The release is 0.7.0, its routes are under the prefix, and its schema is only extended',
      ['test/main-jobs/process.test.ts', "['logs', '0.7.0']"],
    ],
  ),
]
