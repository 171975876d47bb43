import type { LogFormat } from '../format.ts'
import { clfTime, clock, isoDate, isoTime, pattern, quoted, zone } from './pieces.ts'

/** Access and flow logs as clouds write them, and the platforms that run others' programs. */
export const cloudFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'aws-load-balancer',
    // The classic load balancer names no protocol.
    pattern: pattern`^(?:(?<protocol>https?|h2|grpcs?|wss?) )?(?<time>${isoDate}T${clock}${zone}) (?<balancer>\S+) (?<client>\S+) (?<target>\S+) (?:-?[\d.]+ ){3}(?<status>\d{3}|-) (?<target_status>\S+) (?<received>\d+) (?<sent>\d+) "(?<message>${quoted})"`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: 'h2 2024-05-01T10:20:30.250000Z app/shop/7a1c 192.0.2.10:41200 10.0.0.7:8080 0.002 0.030 0.001 503 503 120 912 "PUT https://shop.example.org:8443/basket/417 HTTP/2.0" "shelf-scanner/3" - -',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
      },
      {
        line: '2024-05-01T10:20:30.250000Z front-door 192.0.2.10:41201 10.0.0.7:8080 0.002 0.030 0.001 404 404 0 77 "HEAD http://shop.example.org:8080/aisle/9 HTTP/1.1" "shelf-scanner/3" - -',
        severity: 'WARN',
        message: 'HEAD http://shop.example.org:8080/aisle/9 HTTP/1.1',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aws-cloudfront',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2}\t\d{2}:\d{2}:\d{2})\t(?<edge>[A-Z]{3}[\w-]*)\t(?<bytes>\d+)\t(?<client>\S+)\t(?<message>[A-Z]+\t[^\t]*\t[^\t]*)\t(?<status>\d{3})\t(?<referer>[^\t]*)\t(?<agent>[^\t]*)\t`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-03-12\t10:20:30\tFRA56-P2\t911\t192.0.2.4\tGET\tcdn.example.net\t/logo.svg\t403\t-\tcurl/8.5.0\t-\t-\tError\tabc==\tcdn.example.net\thttps\t62\t0.021',
        time: '2024-03-12T10:20:30.000Z',
        severity: 'WARN',
        message: 'GET\tcdn.example.net\t/logo.svg',
        fields: { edge: 'FRA56-P2', client: '192.0.2.4' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aws-s3-access',
    pattern: pattern`^(?<owner>[0-9a-f]{32,64}) (?<bucket>\S+) \[(?<time>${clfTime})\] (?<client>\S+) (?<requester>\S+) (?<request>[0-9A-Z]+) (?<operation>[A-Z]+\.\S+) (?<key>\S+) "?(?<message>${quoted}|-)"? (?<status>\d{3}) (?<code>\S+) `,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '0a1b2c3d4e5f60718293a4b5c6d7e8f9 backups [06/Feb/2024:00:01:57 +0000] 192.0.2.3 - A1B2C3D4E5F60718 REST.GET.OBJECT db.dump "GET /backups/db.dump HTTP/1.1" 403 AccessDenied 243 - 41 - "-" "curl/8"',
        time: '2024-02-06T00:01:57.000Z',
        severity: 'WARN',
        message: 'GET /backups/db.dump HTTP/1.1',
        fields: { bucket: 'backups', operation: 'REST.GET.OBJECT', code: 'AccessDenied' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aws-vpc-flow',
    pattern: pattern`^[2-9] (?<account>\d{12}|unknown) (?<interface>eni-\w+) (?<source>\S+) (?<destination>\S+) (?<source_port>\S+) (?<destination_port>\S+) (?<protocol>\S+) (?<packets>\S+) (?<bytes>\S+) (?<time>\d{10}) \d{10} (?<message>.*)`,
    time: 'epoch',
    joins: 'never',
    samples: [
      {
        line: '2 123456789010 eni-1235b8ca 192.0.2.16 10.0.0.21 20641 22 6 20 4249 1717634687 1717634747 REJECT OK',
        time: '2024-06-06T00:44:47.000Z',
        message: 'REJECT OK',
        fields: { destination_port: '22' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aws-lambda',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\t(?<request>[0-9a-f-]{36}|undefined)\t(?<level>[A-Z]+)\t(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123Z\t6f747c00-1a2b-4c3d-8e9f-0123456789ab\tERROR\tInvoke failed',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'Invoke failed',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aws-lambda-python',
    pattern: pattern`^\[(?<level>[A-Z]+)\]\t(?<time>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\t(?<request>[0-9a-f-]{36}|)\t(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[WARNING]\t2024-05-01T10:20:30.123Z\t6f747c00-1a2b-4c3d-8e9f-0123456789ab\tShelf 7 is nearly full',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'Shelf 7 is nearly full',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aws-lambda-platform',
    pattern: pattern`^(?<event>START|END|REPORT) RequestId: (?<request>[\w-]{36})\s*(?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: 'REPORT RequestId: 6f747c00-1a2b-4c3d-8e9f-0123456789ab\tDuration: 79.67 ms\tBilled Duration: 80 ms',
        time: null,
        severity: null,
        message: 'Duration: 79.67 ms\tBilled Duration: 80 ms',
        fields: { event: 'REPORT', request: '6f747c00-1a2b-4c3d-8e9f-0123456789ab' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'heroku',
    pattern: pattern`^(?<time>${isoTime}) (?<source>app|heroku)\[(?<process>[\w.-]+)\]: (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    stream: /\[([\w.-]+)\]/,
    samples: [
      {
        line: '2024-05-01T10:20:30.123456+00:00 app[web.1]: {"level":"error","ts":1717019822.5,"msg":"no room"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { source: 'app', process: 'web.1' },
      },
    ],
  },
]
