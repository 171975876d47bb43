import type { LogFormat } from '../format.ts'
import { anyLevel, clock, isoDate, isoTime, pattern, upperLevel, zone } from './pieces.ts'

/** What the logging libraries of languages write. Every entry starts with a header, so all else belongs to the entry before. */
export const applicationFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'spring-boot',
    pattern: pattern`^(?<time>${isoTime}) +(?<level>[A-Z]{4,7}) (?<pid>\d+) --- (?:\[(?<application>[^\]]*)\] )?\[(?<thread>[^\]]*)\] (?<logger>\S+) *: (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123Z  WARN 1 --- [           main] c.example.App            : slow start',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'slow start',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'log4j',
    pattern: pattern`^(?<time>${isoTime})(?: -)? +\[?(?<level>${upperLevel})\]? +(?:-- )?\[(?<thread>.+?)\]:? +(?:- +)?(?:(?<logger>[\w$.\/-]+)(?:: | +[-:] | +: ))?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-10-18 18:01:47,978 INFO [main] org.example.mapreduce.AppMaster: Created AppMaster for application attempt_1_0001',
        time: '2024-10-18T18:01:47.978Z',
        severity: null,
        message: 'Created AppMaster for application attempt_1_0001',
        fields: { thread: 'main', logger: 'org.example.mapreduce.AppMaster' },
      },
      {
        line: '2024-07-29 17:41:44,747 - WARN  [QuorumPeer[myid=1]/0:0:0:0:2181:FastLeaderElection@774] - Notification time out: 3200',
        time: '2024-07-29T17:41:44.747Z',
        severity: 'WARN',
        message: 'Notification time out: 3200',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'logback',
    pattern: pattern`^(?<time>${isoTime}|${clock}) \[(?<thread>[^\]]+)\] +(?<level>${upperLevel}) +(?<logger>[\w$.\[\]\/]+) +(?:- |: )(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-04-06T09:05:54,991Z [http-nio-8080-exec-9] ERROR o.a.g.r.auth.AuthenticationService - Authentication attempt failed.',
        time: '2024-04-06T09:05:54.991Z',
        severity: 'ERROR',
        fields: { logger: 'o.a.g.r.auth.AuthenticationService' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'hdfs',
    pattern: pattern`^(?<time>\d{6} \d{6}) (?<pid>\d+) (?<level>[A-Z]+) (?<logger>[\w$.]+): (?<message>.*)`,
    time: 'compact',
    joins: 'untilHeader',
    samples: [
      {
        line: '241109 203615 148 WARN dfs.DataNode$PacketResponder: PacketResponder 1 for block blk_388 terminating',
        time: '2024-11-09T20:36:15.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'spark',
    pattern: pattern`^(?<time>\d{2}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}) (?<level>[A-Z]+) (?<logger>[\w$.]+): (?<message>.*)`,
    time: 'shortYearFirst',
    joins: 'untilHeader',
    samples: [
      {
        line: '24/06/09 20:10:40 INFO executor.Backend: Registered signal handlers',
        time: '2024-06-09T20:10:40.000Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'tomcat',
    pattern: pattern`^(?<time>\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)?) (?<level>${upperLevel}) \[(?<thread>[^\]]+)\] (?<logger>\S+) (?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    samples: [
      {
        line: '28-Mar-2024 07:01:48.459 SEVERE [main] org.example.Protocol.start Failed to start',
        time: '2024-03-28T07:01:48.459Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'klog',
    pattern: pattern`^(?<level>[IWEF])(?<time>\d{4} \d{2}:\d{2}:\d{2}\.\d+) +(?<thread>\d+) (?<file>[^\s:\]]+:\d+)\] (?<message>.*)`,
    time: 'klog',
    joins: 'untilHeader',
    samples: [
      {
        line: 'E0102 15:04:05.678901       1 reflector.go:127] Failed to watch *v1.Pod: unknown',
        time: '2024-01-02T15:04:05.678Z',
        severity: 'ERROR',
        message: 'Failed to watch *v1.Pod: unknown',
        fields: { file: 'reflector.go:127' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'glog',
    pattern: pattern`^(?<level>[IWEF])(?<time>\d{8} \d{2}:\d{2}:\d{2}\.\d+) +(?<thread>\d+) (?<file>[^\s:\]]+:\d+)\] (?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    samples: [
      {
        line: 'W20240102 15:04:05.678901 77 main.cc:12] low on disk',
        time: '2024-01-02T15:04:05.678Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'python-logging',
    pattern: pattern`^\[?(?<time>${isoDate} ${clock})\]?(?: ?[:|-]{1,2} ?| )(?:\d+ |\[[^\]]*\] ?)?(?<level>${upperLevel})(?: in (?<module>[\w.]+)| *[:|-]{1,2} *(?<logger>[\w.\[\]:]+)| +(?<name>[\w.]+))?(?:: ?| - | )(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-07-02 10:22:40,672:ERROR:worker:queue is full',
        time: '2024-07-02T10:22:40.672Z',
        severity: 'ERROR',
      },
      {
        line: '[2024-03-28 03:09:25,112] WARNING in limiter: rate limited',
        time: '2024-03-28T03:09:25.112Z',
        severity: 'WARN',
        message: 'rate limited',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'monolog',
    pattern: pattern`^\[(?<time>${isoTime})\] (?<channel>[\w.-]+)\.(?<level>[A-Z]+): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-02-05 12:34:56] local.EMERGENCY: Unable to create logger {"x":1}',
        time: '2024-02-05T12:34:56.000Z',
        severity: 'CRITICAL',
        fields: { channel: 'local' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ruby-logger',
    pattern: pattern`^[A-Z], \[(?<time>${isoDate}T${clock}) #(?<pid>\d+)\] +(?<level>[A-Z]+) -- (?<program>[^:]*): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'W, [2024-03-13T09:25:23.245316 #1]  WARN -- : Failed login for kim',
        time: '2024-03-13T09:25:23.245Z',
        severity: 'WARN',
        message: 'Failed login for kim',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zap-console',
    pattern: pattern`^(?<time>${isoDate}T${clock}${zone})\t(?<level>\w+)\t(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-04-24T22:09:20.856Z\terror\tinternal/queue.go:128\tExporting failed. Dropping data.',
        time: '2024-04-24T22:09:20.856Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'pipe-separated',
    pattern: pattern`^(?<time>${isoTime})\|(?<level>\w+)\|(?<logger>[^|]*)\|(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: "2024-12-17 22:04:36.2|Warn|Auth|Auth-Failure ip 192.0.2.4 username 'kim'",
        time: '2024-12-17T22:04:36.200Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nest',
    pattern: pattern`^\[Nest\] (?<pid>\d+) +- (?<time>\d{2}/\d{2}/\d{4}, \d{1,2}:\d{2}:\d{2} [AP]M) +(?<level>[A-Z]+) (?:\[(?<logger>[^\]]*)\] )?(?<message>.*)`,
    time: 'americanYear',
    joins: 'untilHeader',
    samples: [
      {
        line: '[Nest] 7  - 08/02/2024, 7:32:47 PM    WARN [AuthService] Failed login',
        time: '2024-08-02T19:32:47.000Z',
        severity: 'WARN',
        message: 'Failed login',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-first',
    pattern: pattern`^(?<level>${upperLevel}):? +\[?(?<time>${isoTime})\]? *(?:- )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'ERROR    2024-07-16T19:42:45 - Incorrect password from 192.0.2.1',
        time: '2024-07-16T19:42:45.000Z',
        severity: 'ERROR',
        message: 'Incorrect password from 192.0.2.1',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'bracketed',
    pattern: pattern`^ *(?:\[(?<program>[A-Z]\w+)\])?\[(?<time>${isoTime})\] ?(?:\[(?<logger>[\w:.]+)\] ?)??\[?(?<level>${anyLevel})\]? ?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-02-12 12:16:05.729 +01:00] [INF] [79] Server.UserManager: request denied',
        time: '2024-02-12T11:16:05.729Z',
        severity: null,
      },
      {
        line: '[2024-02-03 16:10:11.219][app::api::identity][ERROR] Password is incorrect.',
        time: '2024-02-03T16:10:11.219Z',
        severity: 'ERROR',
        message: 'Password is incorrect.',
      },
    ],
  },
]
