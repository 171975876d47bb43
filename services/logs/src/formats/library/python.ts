import type { LogFormat } from '../format.ts'
import { clock, isoDate, isoTime, pattern, upperLevel } from './pieces.ts'

/** Python's logging as its frameworks set it up. Every entry starts with a header, so a trace belongs to the entry before. */
export const pythonFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'loguru',
    pattern: pattern`^(?<time>${isoTime}) \| (?<level>[A-Z]+) *\| (?<logger>[\w.<>]+:[\w<>]+:\d+) - (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.123 | WARNING  | shop.cart:add:12 - item is gone',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'item is gone',
        fields: { logger: 'shop.cart:add:12' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'home-assistant',
    pattern: pattern`^(?<time>${isoDate} ${clock}) (?<level>${upperLevel}) \((?<thread>[^)]+)\) \[(?<logger>[^\]]+)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.123 WARNING (MainThread) [homeassistant.loader] No tested integration heating',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'No tested integration heating',
        fields: { logger: 'homeassistant.loader' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'home-assistant-supervisor',
    pattern: pattern`^(?<time>\d{2}-\d{2}-\d{2} ${clock}) (?<level>${upperLevel}) \((?<thread>[^)]+)\) \[(?<logger>[^\]]+)\] (?<message>.*)`,
    time: 'shortYearFirst',
    joins: 'untilHeader',
    samples: [
      {
        line: '24-05-01 10:20:30 WARNING (MainThread) [supervisor.shelf] row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { logger: 'supervisor.shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'openstack',
    pattern: pattern`^(?:[\w.-]{1,100}?\.log\S{0,60} )?(?<time>${isoDate} ${clock}) (?<pid>\d+) (?<level>${upperLevel}) (?<logger>[\w.]+) \[(?<request>[^\]]*)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-16 10:20:30.114 7712 ERROR nova.compute.manager [req-77aa01 - - - -] Instance failed to spawn',
        time: '2024-05-16T10:20:30.114Z',
        severity: 'ERROR',
        message: 'Instance failed to spawn',
        fields: { pid: '7712', logger: 'nova.compute.manager' },
      },
      {
        line: 'nova-api.log.1.2024-05-16_13:53:08 2024-05-16 10:20:30.114 7713 INFO nova.osapi.server [-] started',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'fail2ban',
    pattern: pattern`^(?<time>${isoDate} ${clock}) (?<logger>fail2ban\.\w+) +\[(?<pid>\d+)\]: (?<level>[A-Z]+) +(?:\[(?<jail>[^\]]+)\] )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 fail2ban.actions        [723]: WARNING [sshd] 192.0.2.66 already banned',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: '192.0.2.66 already banned',
        fields: { jail: 'sshd', logger: 'fail2ban.actions' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cloud-init',
    pattern: pattern`^(?<time>${isoDate} ${clock}) - (?<file>[\w.]+\.py)\[(?<level>[A-Z]+)\]: (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 - url_helper.py[WARNING]: Calling the metadata service failed',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'Calling the metadata service failed',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'python-logger-first',
    pattern: pattern`^(?<time>${isoDate} ${clock}) - (?<logger>[\w.-]+) - (?:(?<line>\d+) - )?(?<level>${upperLevel}) - (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 - shop.payments - ERROR - card was refused',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'card was refused',
        fields: { logger: 'shop.payments' },
      },
      { line: '2024-05-01 10:20:30,123 - synapse.http.client - 410 - INFO - GET-7 - done', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'celery',
    pattern: pattern`^\[(?<time>${isoDate} ${clock}): (?<level>[A-Z]+)/(?<process>[\w-]+)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01 10:20:30,123: ERROR/ForkPoolWorker-2] Task mail.send[1f2e] raised unexpected: OSError()',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { process: 'ForkPoolWorker-2' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'airflow',
    pattern: pattern`^\[(?<time>${isoTime})\] +\{(?<file>[^}]+)\} (?<level>[A-Z]+) - (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01T10:20:30.123+0200] {taskinstance.py:1157} ERROR - Task failed with exception',
        time: '2024-05-01T08:20:30.123Z',
        severity: 'ERROR',
        message: 'Task failed with exception',
        fields: { file: 'taskinstance.py:1157' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'calibre-web',
    pattern: pattern`^\[(?<time>${isoDate} ${clock})\] +(?<level>${upperLevel}) \{(?<file>[^}]+)\} (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-07-17 10:20:30,114]  WARN {cps.db:310} Login failed for user "kim" IP-address: 192.0.2.4',
        time: '2024-07-17T10:20:30.114Z',
        severity: 'WARN',
        fields: { file: 'cps.db:310' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'frigate',
    pattern: pattern`^\[(?<time>${isoDate} ${clock})\] (?<logger>[\w.]+) +(?<level>${upperLevel}) *: (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01 10:20:30] watchdog.garden                ERROR   : Ffmpeg process crashed unexpectedly',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Ffmpeg process crashed unexpectedly',
        fields: { logger: 'watchdog.garden' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'tornado',
    pattern: pattern`^\[(?<level>[DIWEC]) (?<time>\d{6} ${clock}) (?<file>[\w.]+:\d+)\] (?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    samples: [
      {
        line: '[W 240501 10:20:30 web:2239] 404 GET /favicon.ico (192.0.2.1) 0.45ms',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        fields: { file: 'web:2239' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'jupyter',
    pattern: pattern`^\[(?<level>[DIWEC]) (?<time>${isoDate} ${clock}) (?<logger>\w+)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[E 2024-05-01 10:20:30.123 ServerApp] Could not open notebook',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'Could not open notebook',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'scrapy',
    pattern: pattern`^(?<time>${isoDate} ${clock}) \[(?<logger>[\w.]+)\] (?<level>${upperLevel}): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30 [shop.spiders.prices] WARNING: Ignoring response 403',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'Ignoring response 403',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ansible',
    pattern: pattern`^(?<time>${isoDate} ${clock}) p=(?<pid>\d+) u=(?<user>\S+)(?: n=(?<logger>\S+))?(?: (?<level>[A-Z]+))? ?\| ?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 p=77 u=kim n=ansible ERROR| fatal: [attic]: UNREACHABLE!',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { user: 'kim' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'salt',
    pattern: pattern`^(?<time>${isoDate} ${clock}) \[(?<logger>[\w.]+) *:(?<line>\d+) *\]\[(?<level>[A-Z]+) *\](?:\[(?<pid>\d+)\])? (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 [salt.minion      :1190][ERROR   ][456] Error while bringing up minion',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { logger: 'salt.minion', line: '1190' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'vdsm',
    pattern: pattern`^(?<thread>[^:\s][^:]{0,80})::(?<level>${upperLevel})::(?<time>${isoDate} ${clock})::(?<module>[\w.-]+)::(?<line>\d+)::(?<logger>[\w.-]+)::(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'Thread-13::ERROR::2024-05-01 10:20:30,334::shelf::312::shop.shelf::(put) no room',
        time: '2024-05-01T10:20:30.334Z',
        severity: 'ERROR',
        message: '(put) no room',
        fields: { thread: 'Thread-13', logger: 'shop.shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'twisted',
    pattern: pattern`^(?<time>${isoDate}T${clock}[+-]\d{4}) \[(?<logger>[\w.]+|-)#(?<level>debug|info|warn|error|critical)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T12:20:30+0200 [shop.web.Door#critical] Unhandled Error',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'Unhandled Error',
        fields: { logger: 'shop.web.Door' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'structlog-console',
    pattern: pattern`^(?<time>${isoTime}) \[(?<level>debug|info|warning|error|critical) +\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30 [warning  ] queue is long                  length=70',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'python-logging',
    pattern: pattern`^\[?(?<time>\d{4}-\d{2}-\d{2} ${clock})\]?(?! -(?:0\d|1[0-4]):?(?:[0-5]\d)? )(?: ?[:|-]{1,2} ?| )(?:\d+ |\[[^\]]*\] ?)?(?<level>${upperLevel})(?: in (?<module>[\w.]+)(?=:)|(?:: ?| ?[|-] ?|::| - )(?<logger>\[[\w.:]+\](?=[: ])|\w+(?:\.\w+)+(?=:| - )|(?<=[A-Z][:|-])\w+(?=[:|-])|(?<=[A-Z]\|)\w+(?:\.\w+)+(?=\|)|(?<= - )[a-z_]\w*(?= - ))| +(?<name>\w+(?:\.\w+)+(?=: | - | \[)))?(?:::? ?| ?[|-] ?| )(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-07-02 10:22:40,672:ERROR:worker:queue is full',
        time: '2024-07-02T10:22:40.672Z',
        severity: 'ERROR',
        message: 'queue is full',
      },
      {
        line: '[2024-05-01 10:20:30,250] WARNING in shelves: nearly full',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'nearly full',
      },
      {
        line: '2024-07-02 10:22:40.6721|ERROR|Shop.Shelves|row 7 | leans',
        message: 'row 7 | leans',
        fields: { logger: 'Shop.Shelves', level: 'ERROR' },
      },
      { line: '2024-07-02 10:22:40 ERROR Nothing is left', severity: 'ERROR', message: 'Nothing is left' },
      { line: '2024-07-02 10:22:40 CRIT: Locking shelf 7', severity: 'CRITICAL', message: 'Locking shelf 7' },
      { line: '2024-07-02 10:22:40 ERROR: Timeout: 5 s', severity: 'ERROR', message: 'Timeout: 5 s' },
      { line: '2024-07-02 10:22:40 ERROR Timeout: 5 s', severity: 'ERROR', message: 'Timeout: 5 s' },
      { line: '2024-07-02 10:22:40 ERROR in row 7', severity: 'ERROR', message: 'in row 7' },
      {
        line: '2024-07-02 10:22:40,672::WARNING::[interface:77] The door stands open',
        message: 'The door stands open',
        fields: { logger: '[interface:77]' },
      },
      {
        line: '2024-07-02 10:22:40 WARNING shop.shelves: nearly full',
        message: 'nearly full',
        fields: { name: 'shop.shelves' },
      },
      {
        line: '2024-07-02 10:22:40,672 - ERROR - worker - queue is full',
        message: 'queue is full',
        fields: { logger: 'worker' },
      },
    ],
  },
]
