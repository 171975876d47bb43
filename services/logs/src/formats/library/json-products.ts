import type { Severity } from '../../entries/severity-code.ts'
import type { JsonFormat } from '../format.ts'
import { alertPriorities } from './security.ts'

/** Priorities of Suricata's rules, and kinds of events: what it merely saw is no trouble, whatever words its counters have. */
const suricataLevels = new Map<string, Severity | null>([
  ...alertPriorities,
  ['alert', 'WARN'],
  ['anomaly', 'WARN'],
  ...'dhcp dns fileinfo flow ftp ftp_data http http2 ike krb5 modbus mqtt netflow nfs pgsql quic rdp rfb sip smb smtp snmp ssh stats tftp tls'
    .split(' ')
    .map((kind): [string, null] => [kind, null]),
])

/** The ratings of Wazuh's dashboard: medium from 7, high from 12, critical from 15. Levels up to 3 report no problem; from 4 to 6, words decide. */
const wazuhLevels = new Map<string, Severity | null>([
  ...[0, 1, 2, 3].map((level): [string, null] => [`${level}`, null]),
  ...[7, 8, 9, 10, 11].map((level): [string, Severity] => [`${level}`, 'WARN']),
  ...[12, 13, 14].map((level): [string, Severity] => [`${level}`, 'ERROR']),
  ...[15, 16].map((level): [string, Severity] => [`${level}`, 'CRITICAL']),
])

/** Severities of osquery's own messages, and actions of results, whose columns may contain any words. */
const osqueryLevels = new Map<string, Severity | null>([
  ['1', 'WARN'],
  ['2', 'ERROR'],
  ['3', 'CRITICAL'],
  ...['0', 'added', 'removed', 'snapshot'].map((kind): [string, null] => [kind, null]),
])

/** JSON lines of one product or platform each; the first whose keys are all there reads the line. */
export const jsonProducts: readonly JsonFormat[] = [
  {
    kind: 'json',
    name: 'json-journald',
    requires: ['__REALTIME_TIMESTAMP'],
    time: ['__REALTIME_TIMESTAMP', '_SOURCE_REALTIME_TIMESTAMP'],
    level: ['PRIORITY'],
    numbers: 'syslog',
    // What a program prints has 6 unless it says otherwise (`SyslogLevel=` of systemd.exec).
    unsure: { PRIORITY: '6', _TRANSPORT: 'stdout' },
    message: ['MESSAGE'],
    wraps: true,
    samples: [
      {
        line: '{"__REALTIME_TIMESTAMP":"1717860261221373","PRIORITY":"6","_TRANSPORT":"stdout","MESSAGE":"level=warn msg=\\"low\\" left=3"}',
        time: '2024-06-08T15:24:21.221Z',
        severity: 'WARN',
      },
      {
        line: '{"__REALTIME_TIMESTAMP":"1717860261221373","PRIORITY":"3","_HOSTNAME":"attic","MESSAGE":"disk is gone"}',
        time: '2024-06-08T15:24:21.221Z',
        severity: 'ERROR',
        message: 'disk is gone',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-adguard-query',
    requires: ['T', 'QH', 'QT', 'IP'],
    time: ['T'],
    level: [],
    message: ['QH'],
    samples: [
      {
        line: '{"T":"2024-05-01T12:20:30.123456789+02:00","QH":"ads.example.net","QT":"A","QC":"IN","CP":"","IP":"192.0.2.7","Result":{"IsFiltered":true,"Reason":3},"Elapsed":77}',
        time: '2024-05-01T10:20:30.123Z',
        severity: null,
        message: 'ads.example.net',
        fields: { IP: '192.0.2.7' },
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-docker',
    requires: ['log', 'stream', 'time'],
    time: ['time'],
    level: [],
    message: ['log'],
    wraps: true,
    stream: /"stream":\s*"(\w+)"/,
    samples: [
      {
        line: '{"log":"level=warn msg=\\"low\\" left=3\\n","stream":"stderr","time":"2024-05-01T10:00:00.5Z"}',
        time: '2024-05-01T10:00:00.500Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-mongodb',
    requires: ['t.$date', 's', 'c'],
    time: ['t.$date'],
    level: ['s'],
    message: ['msg'],
    samples: [
      {
        line: '{"t":{"$date":"2024-05-01T12:20:30.250+02:00"},"s":"W","c":"SHELF","id":4100,"msg":"Row seven leans"}',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-nextcloud',
    requires: ['reqId', 'level', 'time', 'app'],
    time: ['time'],
    level: ['level'],
    numbers: 'nextcloud',
    message: ['message'],
    samples: [
      {
        line: '{"reqId":"a1","level":3,"time":"2024-10-01T02:39:09+00:00","app":"files","message":"cannot scan"}',
        time: '2024-10-01T02:39:09.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-kubernetes-audit',
    requires: ['kind', 'auditID', 'requestReceivedTimestamp'],
    time: ['requestReceivedTimestamp', 'stageTimestamp'],
    level: [],
    message: ['requestURI'],
    samples: [
      {
        line: '{"kind":"Event","auditID":"57a7","requestURI":"/api/v1/pods","requestReceivedTimestamp":"2024-05-01T10:00:00.123456Z"}',
        time: '2024-05-01T10:00:00.123Z',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-suricata',
    requires: ['event_type', 'timestamp', 'flow_id'],
    time: ['timestamp'],
    level: ['alert.severity', 'event_type'],
    levels: suricataLevels,
    message: ['alert.signature', 'event_type'],
    samples: [
      {
        line: '{"timestamp":"2024-07-10T23:50:05.533101+0000","flow_id":12,"event_type":"alert","alert":{"signature":"ET SCAN"}}',
        time: '2024-07-10T23:50:05.533Z',
        message: 'ET SCAN',
        severity: 'WARN',
      },
      {
        line: '{"timestamp":"2024-07-10T23:50:07.1+0000","flow_id":13,"event_type":"alert","alert":{"severity":1,"signature":"ET EXPLOIT"}}',
        time: '2024-07-10T23:50:07.100Z',
        severity: 'ERROR',
      },
      {
        line: '{"timestamp":"2024-07-10T23:50:08.2+0000","flow_id":14,"event_type":"flow","flow":{"reason":"timeout","alerted":false}}',
        time: '2024-07-10T23:50:08.200Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-suricata-stats',
    requires: ['event_type', 'timestamp', 'stats'],
    time: ['timestamp'],
    level: ['event_type'],
    levels: suricataLevels,
    message: ['event_type'],
    samples: [
      {
        line: '{"timestamp":"2024-07-10T10:20:30.114000+0000","event_type":"stats","stats":{"uptime":7}}',
        time: '2024-07-10T10:20:30.114Z',
        message: 'stats',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-wazuh-alert',
    requires: ['rule.level', 'rule.description', 'agent.id', 'timestamp'],
    time: ['timestamp'],
    level: ['rule.level'],
    levels: wazuhLevels,
    message: ['rule.description'],
    samples: [
      {
        line: '{"timestamp":"2024-05-01T10:20:30.250+0000","rule":{"level":12,"description":"Row 7 leans","id":"7"},"agent":{"id":"001"}}',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'Row 7 leans',
      },
      {
        line: '{"timestamp":"2024-05-01T10:20:30.250+0000","rule":{"level":3,"description":"A failed row stands again","id":"7"},"agent":{"id":"001"}}',
        severity: null,
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-osquery',
    requires: ['hostIdentifier', 'unixTime', 'calendarTime'],
    time: ['unixTime'],
    level: ['severity', 'action'],
    levels: osqueryLevels,
    message: ['message', 'name'],
    samples: [
      {
        line: '{"name":"pack_shelf","hostIdentifier":"attic","calendarTime":"Wed May  1 10:20:30 2024 UTC","unixTime":1714558830,"columns":{"name":"error"},"action":"added"}',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'pack_shelf',
      },
      {
        line: '{"hostIdentifier":"attic","calendarTime":"Wed May  1 10:20:30 2024 UTC","unixTime":"1714558830","severity":"2","filename":"shelf.cpp","line":"7","message":"no room"}',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-snort',
    requires: ['seconds', 'msg', 'rule', 'gid'],
    time: ['seconds'],
    level: ['priority'],
    levels: alertPriorities,
    message: ['msg'],
    samples: [
      {
        line: '{"seconds":1714558830,"action":"allow","gid":1,"msg":"Door was rattled","priority":1,"rule":"1:417:0","timestamp":"05/01-12:20:30.603502"}',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Door was rattled',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-open-appsec',
    requires: ['eventTime', 'eventName', 'eventSeverity'],
    time: ['eventTime'],
    level: ['eventSeverity'],
    levels: new Map([
      ['high', 'ERROR'],
      ['medium', 'WARN'],
      ['low', null],
    ]),
    message: ['eventData.waapIncidentType', 'eventName'],
    samples: [
      {
        line: '{"eventTime":"2024-05-01T10:00:00.702","eventName":"Web Request","eventSeverity":"High","eventLogLevel":"info","eventData":{"waapIncidentType":"SQL Injection"}}',
        time: '2024-05-01T10:00:00.702Z',
        severity: 'ERROR',
        message: 'SQL Injection',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-zeek',
    requires: ['ts', 'uid', 'id.orig_h'],
    time: ['ts'],
    level: [],
    message: ['uri', 'query', 'note', 'service', 'proto'],
    samples: [
      {
        line: '{"ts":1717634687.452,"uid":"Cq8ZtR3","id.orig_h":"10.0.0.7","id.resp_h":"192.0.2.9","proto":"udp","query":"example.net"}',
        time: '2024-06-06T00:44:47.452Z',
        message: 'example.net',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-kubernetes-event',
    requires: ['involvedObject', 'reason', 'message'],
    time: ['lastTimestamp', 'eventTime', 'firstTimestamp', 'metadata.creationTimestamp'],
    level: ['type'],
    levels: new Map([['normal', null]]),
    message: ['message'],
    samples: [
      {
        line: '{"apiVersion":"v1","kind":"Event","metadata":{"name":"shelf.1","creationTimestamp":"2024-05-01T09:00:00Z"},"involvedObject":{"kind":"Pod","name":"shelf"},"reason":"Leaning","message":"failed to stand","type":"Warning","firstTimestamp":"2024-05-01T09:00:00Z","lastTimestamp":"2024-05-01T10:20:30Z","count":3}',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'failed to stand',
      },
      {
        line: '{"kind":"Event","metadata":{},"involvedObject":{"name":"shelf"},"reason":"Scheduled","message":"never failed","type":"Normal","lastTimestamp":null,"eventTime":"2024-05-01T10:20:30.250000Z"}',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-cloudtrail',
    requires: ['eventTime', 'eventSource', 'eventVersion'],
    time: ['eventTime'],
    level: [],
    message: ['eventName'],
    samples: [
      {
        line: '{"eventVersion":"1.08","eventTime":"2024-05-01T10:20:30Z","eventSource":"s3.amazonaws.com","eventName":"DeleteBucket"}',
        time: '2024-05-01T10:20:30.000Z',
        message: 'DeleteBucket',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-aws-waf',
    requires: ['webaclId', 'action', 'httpRequest'],
    time: ['timestamp'],
    level: [],
    message: ['httpRequest.uri', 'action'],
    samples: [
      {
        line: '{"timestamp":1717634687123,"formatVersion":1,"webaclId":"arn:1","action":"BLOCK","httpRequest":{"clientIp":"192.0.2.7","uri":"/.env"}}',
        time: '2024-06-06T00:44:47.123Z',
        message: '/.env',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-google-cloud',
    requires: ['logName', 'timestamp', 'resource'],
    time: ['timestamp', 'receiveTimestamp'],
    level: ['severity'],
    message: ['textPayload', 'jsonPayload.message', 'jsonPayload.msg', 'protoPayload.methodName'],
    samples: [
      {
        line: '{"insertId":"a1","logName":"projects/p/logs/stderr","resource":{"type":"k8s_container"},"severity":"ERROR","textPayload":"no room","timestamp":"2024-05-01T10:20:30.123456789Z"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-azure',
    requires: ['time', 'resourceId', 'operationName'],
    time: ['time'],
    level: ['level', 'Level'],
    message: ['resultDescription', 'properties.message', 'operationName'],
    samples: [
      {
        line: '{"time":"2024-05-01T10:20:30.1234567Z","resourceId":"/SUBSCRIPTIONS/1","operationName":"Sign-in activity","level":"Warning"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'Sign-in activity',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-elasticsearch',
    requires: ['cluster.name', 'timestamp', 'component', 'level'],
    time: ['timestamp'],
    level: ['level'],
    message: ['message'],
    samples: [
      {
        line: '{"type":"server","timestamp":"2024-05-01T10:20:30,123Z","level":"WARN","component":"o.e.c.r.a","cluster.name":"search","node.name":"search-1","message":"disk is over the high watermark"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-postgres',
    requires: ['error_severity', 'timestamp', 'message'],
    time: ['timestamp'],
    level: ['error_severity'],
    message: ['message'],
    samples: [
      {
        line: '{"timestamp":"2024-08-16 13:02:58.409 UTC","pid":539,"user":"kim","dbname":"shop","error_severity":"FATAL","message":"no such role"}',
        time: '2024-08-16T13:02:58.409Z',
        severity: 'CRITICAL',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-teleport',
    requires: ['ei', 'event', 'code', 'time'],
    time: ['time'],
    level: [],
    message: ['error', 'event'],
    samples: [
      {
        line: '{"ei":0,"event":"session.start","code":"T2000I","time":"2024-09-05T10:20:30.114Z","user":"kim"}',
        time: '2024-09-05T10:20:30.114Z',
        message: 'session.start',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-vault-audit',
    requires: ['type', 'time', 'request.id', 'request.operation'],
    time: ['time'],
    level: [],
    message: ['error', 'request.path'],
    samples: [
      {
        line: '{"time":"2024-05-01T10:20:30.123Z","type":"response","request":{"id":"a1","operation":"read","path":"secret/x"},"error":"permission denied"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'permission denied',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-laurel',
    // The names of other keys are those of an event's records, of which there are many.
    requires: ['ID'],
    matches: { ID: /^\d{10}\.\d{3}:\d+$/ },
    time: ['ID'],
    level: [],
    message: ['PROCTITLE.ARGV', 'SYSCALL.exe'],
    samples: [
      {
        line: '{"ID":"1717634687.114:4100","SYSCALL":{"syscall":59,"success":"yes","exe":"/usr/sbin/nft"}}',
        time: '2024-06-06T00:44:47.114Z',
        message: '/usr/sbin/nft',
      },
      {
        line: '{"ID":"1717634687.114:4101","ANOM_ABEND":[{"comm":"shop","sig":11}]}',
        time: '2024-06-06T00:44:47.114Z',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-falco',
    requires: ['output', 'priority', 'rule', 'time'],
    time: ['time'],
    level: ['priority'],
    message: ['output'],
    samples: [
      {
        line: '{"output":"A shell was spawned in a container","priority":"Critical","rule":"Terminal shell","time":"2024-05-01T10:20:30.123456789Z"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'CRITICAL',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-guardduty',
    requires: ['schemaVersion', 'accountId', 'severity', 'type', 'title'],
    time: ['createdAt', 'updatedAt'],
    level: ['severity'],
    numbers: 'cvss',
    message: ['title'],
    samples: [
      {
        line: '{"schemaVersion":"2.0","accountId":"7","type":"Recon:EC2/Row","severity":8,"createdAt":"2024-05-01T10:20:30.250Z","title":"Row 7 is looked at."}',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'Row 7 is looked at.',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-lager',
    // Cloud Foundry and Concourse.
    requires: ['timestamp', 'source', 'message', 'log_level'],
    time: ['timestamp'],
    level: ['log_level'],
    levels: new Map<string, Severity | null>([
      ['3', 'CRITICAL'],
      ['2', 'ERROR'],
      ...['0', '1'].map((level): [string, null] => [level, null]),
    ]),
    message: ['message'],
    samples: [
      {
        line: '{"timestamp":"1714558830.250000000","source":"shelf","message":"shelf.no-room","log_level":2,"data":{}}',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'shelf.no-room',
      },
    ],
  },
]
