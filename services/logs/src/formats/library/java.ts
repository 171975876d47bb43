import type { LogFormat } from '../format.ts'
import { clock, isoDate, isoTime, pattern, upperLevel, zone } from './pieces.ts'

/** A logger by the name of a class in its package, and what parts it from the message. */
const dottedLogger = String.raw`(?:[\w$\/-]+\.)+[\w$\/-]+(?:: | +[-:] )`

/** What Spring Boot writes of a request's trace and span, as blanks outside of one. */
const traceIds = '[0-9a-fA-F]{16,32}-[0-9a-fA-F]{16}| {10,}'

/** What runs on a Java machine. Every entry starts with a header, so all else belongs to the entry before. */
export const javaFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'spring-boot',
    pattern: pattern`^(?<time>${isoTime}) +(?<level>[A-Z]{4,7}) (?<pid>\d+) --- (?:\[(?<application>[^\]]*)\] )?\[(?!${traceIds}\])(?<thread>[^\]]*)\] (?:\[(?<trace>${traceIds})\] ?)?(?<logger>\S+) *: (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123Z  WARN 1 --- [           main] c.example.App            : slow start',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'slow start',
      },
      {
        line: '2024-05-01T10:20:30.123+02:00 ERROR 1 --- [shop] [nio-8080-exec-7] [803B448A0489F84084905D3093480352-3425F23BB2432450] c.e.shop.Basket                          : Basket 417 fell over',
        time: '2024-05-01T08:20:30.123Z',
        severity: 'ERROR',
        message: 'Basket 417 fell over',
        fields: {
          application: 'shop',
          thread: 'nio-8080-exec-7',
          trace: '803B448A0489F84084905D3093480352-3425F23BB2432450',
          logger: 'c.e.shop.Basket',
        },
      },
      {
        line: '2024-05-01T10:20:30.123+02:00  INFO 1 --- [shop] [           main] [                                                 ] c.e.shop.App                             : opened',
        message: 'opened',
        fields: { application: 'shop', thread: 'main' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'elasticsearch',
    pattern: pattern`^\[(?<time>${isoTime})\]\[(?<level>[A-Z]+) *\]\[(?<logger>[\w.$]+) *\] (?:\[(?<node>[^\]]*)\] ?)?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01T10:20:30,123][WARN ][o.e.m.j.JvmGcMonitorService] [search-1] overhead, spent [612ms] collecting',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'overhead, spent [612ms] collecting',
        fields: { logger: 'o.e.m.j.JvmGcMonitorService', node: 'search-1' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'kafka',
    pattern: pattern`^\[(?<time>${isoDate} ${clock})\] (?<level>${upperLevel}) (?<message>.*) \((?<logger>[a-z_]\w*(?:\.[\w$]+)+)\)$`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01 10:20:30,123] WARN [Broker id=1] Lost contact with controller (kafka.server.BrokerLifecycle)',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: '[Broker id=1] Lost contact with controller',
        fields: { logger: 'kafka.server.BrokerLifecycle' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'wildfly',
    pattern: pattern`^(?:(?<time>${isoTime})|(?<clock>${clock})) (?<level>${upperLevel}) +\[(?<logger>[\w.$]+)\] \((?<thread>[^)]+)\) (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '10:20:30,123 ERROR [org.jboss.as.controller] (ServerService Thread Pool -- 7) WFLYCTL0013: Operation failed',
        time: null,
        severity: 'ERROR',
        message: 'WFLYCTL0013: Operation failed',
      },
      {
        // As Quarkus writes it.
        line: '2024-05-01 10:20:30,123 WARN  [org.example.events] (executor-thread-7) type=LOGIN_ERROR, user=kim',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'type=LOGIN_ERROR, user=kim',
        fields: { logger: 'org.example.events', thread: 'executor-thread-7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'log4j-bracketed-logger',
    pattern: pattern`^(?<time>${isoTime}) +\[?(?<level>${upperLevel})(?: {0,5}\])? {1,5}\[(?<logger>(?:[a-z][\w-]*\.)+[A-Za-z][\w$]*) {0,60}\] - (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 INFO [org.example.audit.ShelfKeeper] - kim|SHELF_OPENED|192.0.2.7',
        time: '2024-05-01T10:20:30.123Z',
        severity: null,
        message: 'kim|SHELF_OPENED|192.0.2.7',
        fields: { logger: 'org.example.audit.ShelfKeeper' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'log4j',
    // One word and a colon may be how a message begins: a logger without dots has a space before what follows it, and no dash before itself.
    pattern: pattern`^(?<time>${isoTime})(?: \[myid:(?<server>\d*)\])?(?: -)? +\[?(?<level>${upperLevel})\]? +(?:-- )?\[(?<thread>.+?)\]:? +(?:- +(?!${dottedLogger}))?(?:(?:- +)?(?<logger>(?:[\w$\/-]+\.)+[\w$\/-]+(?=:? )|(?<!- +)[\w$\/-]+(?= ))(?:: | +[-:] )|(?<class>(?:[a-z]\w*\.)+[A-Z][\w$]*) )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:31,125 INFO [main] org.example.shop.Basket: Basket 417 is on its way',
        time: '2024-05-01T10:20:31.125Z',
        severity: null,
        message: 'Basket 417 is on its way',
        fields: { thread: 'main', logger: 'org.example.shop.Basket' },
      },
      {
        line: '2024-05-01 10:20:30,250 - WARN  [Shelf[row=7]/0:0:0:0:4100:ShelfKeeper@77] - Aisle is narrow: 3',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'Aisle is narrow: 3',
      },
      {
        line: '2024-05-01 10:20:30,250 - INFO  [Shelf[row=7]/0:0:0:0:4100:ShelfKeeper@77] - MOVING - IT TOOK - 49',
        severity: null,
        message: 'MOVING - IT TOOK - 49',
        fields: { thread: 'Shelf[row=7]/0:0:0:0:4100:ShelfKeeper@77' },
      },
      { line: '2024-05-01 10:20:30,250 WARN [main] Moving: 3 boxes', message: 'Moving: 3 boxes' },
      { line: '2024-05-01 10:20:30,250 WARN [main] - Moving: 3 boxes', message: 'Moving: 3 boxes' },
      {
        line: '2024-05-01 10:20:30,250 WARN [main        ] ShelfKeeper         : Row 7 leans',
        message: 'Row 7 leans',
        fields: { logger: 'ShelfKeeper' },
      },
      {
        line: '2024-05-01 10:20:30,250 [myid:3] - WARN  [Shelf-[myid=3]-7:ShelfKeeper@401] - Cannot open row 7',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'Cannot open row 7',
        fields: { server: '3', thread: 'Shelf-[myid=3]-7:ShelfKeeper@401' },
      },
      {
        line: '2024-05-01 10:20:30,250 WARN [main] - org.example.Shelf: Row 7 leans',
        message: 'Row 7 leans',
        fields: { logger: 'org.example.Shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'log4j-logger',
    pattern: pattern`^(?<time>${isoDate} ${clock}) +(?<level>${upperLevel}) +(?<logger>(?:[a-z_]\w*\.)+[A-Z][\w$]*)(?:: | - | \()(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 ERROR org.example.dfs.DataNode: disk is full',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'disk is full',
        fields: { logger: 'org.example.dfs.DataNode' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'logback',
    pattern: pattern`^(?:(?<time>${isoTime})|(?<clock>${clock})) \[(?<thread>[^\]]+)\] +(?<level>${upperLevel}) +(?<logger>[\w$.\[\]\/-]+) +(?:- |: )(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30,250Z [basket-pool-3] ERROR o.e.s.basket.BasketKeeper - Basket 417 was dropped.',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        fields: { logger: 'o.e.s.basket.BasketKeeper' },
      },
      {
        line: '10:20:30.123 [main] WARN  org.example.App - no configuration found',
        time: null,
        severity: 'WARN',
        message: 'no configuration found',
        fields: { clock: '10:20:30.123' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'java-util-logging',
    pattern: pattern`^(?<time>\p{L}{3,6}\.? \d{1,2}, \d{4} \d{1,2}:\d{2}:\d{2} [AP]M) (?<logger>[\w.$]+)(?: (?<method>[\w$<>]+))?$`,
    time: 'syslog',
    joins: 'untilHeader',
    announces: true,
    samples: [
      {
        line: 'May 01, 2024 1:20:30 PM org.example.App main',
        time: '2024-05-01T13:20:30.000Z',
        severity: null,
        fields: { logger: 'org.example.App', method: 'main' },
      },
      { line: 'févr. 03, 2024 1:20:30 AM org.example.App main', time: '2024-02-03T01:20:30.000Z' },
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
        line: '240501 102030 77 WARN dfs.Shelf$Keeper: shelf 7 holds more than it should',
        time: '2024-05-01T10:20:30.000Z',
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
        line: '24/05/01 10:20:30 INFO shop.Basket: Basket is full',
        time: '2024-05-01T10:20:30.000Z',
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
    name: 'cassandra',
    pattern: pattern`^(?<level>[A-Z]+) +\[(?<thread>[^\]]+)\] (?<time>${isoDate} ${clock}) (?<file>[\w.]+:\d+) - (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'WARN  [ScheduledTasks:1] 2024-05-01 10:20:30,123 QueryProcessor.java:137 - 1 batch is over the limit',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: '1 batch is over the limit',
        fields: { file: 'QueryProcessor.java:137' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'jenkins',
    pattern: pattern`^(?<time>${isoDate} ${clock}${zone})\t?\s*\[id=(?<thread>\d+)\]\s+(?<level>[A-Z]+)\s+(?<logger>[\w.$#]+): ?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.123+0000 [id=41]\tSEVERE\thudson.util.Boot#report: Failed to load plugin',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'Failed to load plugin',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'websphere',
    pattern: pattern`^\[(?<time>\d{1,2}/\d{1,2}/\d{2} \d{1,2}:\d{2}:\d{2}:\d{3} [A-Z]{2,5})\] (?<thread>[0-9a-f]{8}) (?<logger>\S+) +(?:(?<level>[EWFI])|[A-Z<>]) +(?<message>.*)`,
    time: 'american',
    joins: 'untilHeader',
    samples: [
      {
        line: '[5/1/24 3:20:30:123 PDT] 0000000a ServletWrapper E   SRVE0068E: An exception was thrown',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'SRVE0068E: An exception was thrown',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'weblogic',
    // The clock is written as the server's language does; the milliseconds since 1970 after the transaction are the moment.
    pattern: pattern`^####<(?<clock>[^>]*)> <(?<level>[A-Z][a-z]+)> <(?<subsystem>[^>]*)> <(?<host>[^>]*)> <(?<server>[^>]*)> <(?<thread>(?:[^>]|>(?! <))*)> <(?<user><[^>]*>|[^>]*)> <(?<transaction>[^>]*)> <(?:(?<diagnostics>[^>]*)> <)?(?<time>\d{13})> (?:<(?<context>(?:\[[^\]]*\] ?)*)> )?<(?<code>[A-Z]+-\d+)> <(?<message>.*?)(?:> *)?$`,
    time: 'epoch',
    joins: 'untilHeader',
    samples: [
      {
        line: "####<May 1, 2024 12:20:30,250 PM CEST> <Warning> <Socket> <attic> <shop-1> <[ACTIVE] ExecuteThread: '7' for queue: 'weblogic.kernel.Default (self-tuning)'> <<WLS Kernel>> <> <7a11c0de-0000001b> <1714558830250> <[severity-value: 16] [rid: 0] > <BEA-000449> <Closing the socket, as no data was read from it.> ",
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'Closing the socket, as no data was read from it.',
        fields: { subsystem: 'Socket', host: 'attic', server: 'shop-1', user: '<WLS Kernel>', code: 'BEA-000449' },
      },
      {
        line: '####<1 mai 2024 12 h 20 CEST> <Emergency> <Security> <attic> <shop-1> <main> <kim> <> <7a> <1714558830250> <BEA-090946> <The realm is gone: ',
        severity: 'CRITICAL',
        message: 'The realm is gone: ',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ibm-mq',
    // The first clock is that of the place where it runs. A code ends with how bad it is: information, warning, error, severe, terminating.
    pattern: pattern`^\d{1,2}/\d{1,2}/\d{2,4} \d{1,2}:\d{2}:\d{2}(?: [AP]M)? - Process\((?<pid>[\d.]+)\) User\((?<user>[^)]*)\) Program\((?<program>[^)]*)\)(?=.*? Host\((?<host>[^)]*)\)|)(?=.*? QMgr\((?<manager>[^)]*)\)|)(?=.*? Time\((?<time>${isoTime})\))(?:.*? (?<code>AMQ\d{4,5})(?<level>[IWEST])?: )?(?<message>.*)`,
    time: 'iso',
    levels: new Map([
      ['s', 'ERROR'],
      ['t', 'CRITICAL'],
    ]),
    joins: 'untilHeader',
    samples: [
      {
        line: "05/01/24 12:20:30 - Process(77.4) User(kim) Program(amqrmppa) Host(attic) Installation(One) VRMF(9.2.4.0) QMgr(SHOP) Time(2024-05-01T10:20:30.250Z) RemoteHost(192.0.2.9) AMQ9207E: The data received from host '192.0.2.9' is not valid.",
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: "The data received from host '192.0.2.9' is not valid.",
        fields: { host: 'attic', manager: 'SHOP', code: 'AMQ9207', program: 'amqrmppa' },
      },
      {
        line: '05/01/24 12:20:30 - Process(77.4) User(kim) Program(runmqchi) Host(attic) Time(2024-05-01T10:20:30.250Z)',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'activemq',
    pattern: pattern`^(?<time>${isoTime}) \| (?<level>${upperLevel}) +\| (?<message>.*) \| (?<logger>[\w.$/-]+) \| (?<thread>[^|]*)$`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,250 | WARN  | Store limit is 100 mb | of 200 | org.example.broker.Shelf | main',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'Store limit is 100 mb | of 200',
        fields: { logger: 'org.example.broker.Shelf', thread: 'main' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'jvm-gc',
    pattern: pattern`^(?:\[(?<time>${isoTime})\])?\[(?<uptime>[\d.,]+m?s)\]\[(?<level>\w+) *\](?:\[(?<tags>[\w,]+) *\])? (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[2024-05-01T10:20:30.123+0000][12.015s][warning][gc,alloc] Out of room in eden',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        fields: { tags: 'gc,alloc', uptime: '12.015s' },
      },
      { line: '[0.015s][info][gc] Using G1', time: null, severity: null, message: 'Using G1' },
    ],
  },
]
