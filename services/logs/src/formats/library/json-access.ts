import type { JsonFormat } from '../format.ts'

/** Requests that web servers and proxies write as JSON lines. A status of 500 and above is an error, 400 and above a warning. */
export const jsonAccess: readonly JsonFormat[] = [
  {
    kind: 'json',
    name: 'json-traefik-access',
    requires: ['ClientAddr', 'RequestMethod', 'DownstreamStatus'],
    time: ['StartUTC', 'time'],
    level: ['level'],
    status: ['DownstreamStatus'],
    message: ['RequestPath'],
    samples: [
      {
        line: '{"ClientAddr":"192.0.2.1:4","RequestPath":"/x","RequestMethod":"PUT","DownstreamStatus":404,"StartUTC":"2024-05-01T10:00:00.1Z","level":"info"}',
        time: '2024-05-01T10:00:00.100Z',
        severity: 'WARN',
        message: '/x',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-caddy-access',
    requires: ['ts', 'request.method', 'request.uri', 'status'],
    // Lines of its error log have a request, too, but their message is the failure.
    matches: { msg: /^handled request$/ },
    time: ['ts'],
    level: ['level'],
    status: ['status'],
    message: ['request.uri'],
    samples: [
      {
        line: '{"level":"info","ts":1717634687.5,"logger":"http.log.access","msg":"handled request","request":{"uri":"/x","method":"PUT","host":"example.net"},"duration":0.01,"status":502}',
        time: '2024-06-06T00:44:47.500Z',
        severity: 'ERROR',
        message: '/x',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-envoy-access',
    requires: ['start_time', 'response_code', 'method'],
    time: ['start_time'],
    level: [],
    status: ['response_code'],
    message: ['path', 'authority'],
    samples: [
      {
        line: '{"start_time":"2024-05-01T10:20:30.123Z","method":"GET","path":"/cart","response_code":503,"duration":7}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: '/cart',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-cloudflare',
    requires: ['RayID', 'EdgeStartTimestamp'],
    time: ['EdgeStartTimestamp', 'EdgeEndTimestamp'],
    level: [],
    status: ['EdgeResponseStatus'],
    message: ['ClientRequestURI'],
    samples: [
      {
        line: '{"RayID":"7d","ClientIP":"192.0.2.7","EdgeResponseStatus":403,"ClientRequestURI":"/basket/417","EdgeStartTimestamp":1717634687000000000}',
        time: '2024-06-06T00:44:47.000Z',
        severity: 'WARN',
        message: '/basket/417',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-gitlab',
    requires: ['method', 'path', 'controller', 'action', 'status', 'time'],
    time: ['time'],
    level: ['severity'],
    status: ['status'],
    message: ['path'],
    samples: [
      {
        line: '{"method":"PUT","path":"/kim/shop","controller":"ShelvesController","action":"update","status":422,"time":"2024-04-15T10:20:30.114Z"}',
        time: '2024-04-15T10:20:30.114Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-nginx-access',
    requires: ['status', 'remote_addr', 'request'],
    time: ['time_iso8601', 'time_local', '@timestamp', 'timestamp', 'time', 'msec'],
    level: [],
    status: ['status'],
    message: ['request'],
    samples: [
      {
        line: '{"time_local":"01/May/2024:10:20:30 +0200","remote_addr":"192.0.2.7","request":"GET /x HTTP/1.1","status":"503"}',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'ERROR',
      },
      {
        line: '{"time_iso8601":"2024-05-01T10:20:30+02:00","remote_addr":"192.0.2.7","request":"GET /x HTTP/1.1","status":"404"}',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'WARN',
        message: 'GET /x HTTP/1.1',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-request',
    // A request logged by a framework, with the logger's level.
    requires: ['method', 'status', 'level'],
    matches: { method: /^(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND)$/, status: /^[1-5]\d\d$/ },
    time: ['time', 'ts', 'timestamp', '@timestamp', 'asctime'],
    level: ['level'],
    status: ['status'],
    message: ['msg', 'message', 'uri', 'path', 'url'],
    samples: [
      {
        line: '{"level":"info","method":"GET","msg":"access","status":502,"time":"2024-05-01T10:20:30Z","uri":"/rows/7"}',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'access',
      },
    ],
  },
]
