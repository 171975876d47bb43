import { setting } from './config.ts'
import * as read from './readers.ts'

/** Settings of every Trellis process. */
export const baseConfig = {
  host: setting('HOST', read.text, '127.0.0.1', 'The address to listen on.'),
  port: setting('PORT', read.port, 8080, 'The port of the API.'),
  metricsPort: setting('METRICS_PORT', read.port, 9090, 'The port of the metrics; 0 turns them off.'),
  metricsHosts: setting(
    'METRICS_HOSTS',
    read.list,
    [],
    'Host names accepted for metrics, beside localhost, HOST and IP addresses; *.example.com for all subdomains, * for any.',
  ),
  dataDirectory: setting('TRELLIS_DATA_DIR', read.text, './data', 'The directory for all data.'),
  logFormat: setting(
    'LOG_FORMAT',
    read.oneOf('auto', 'json', 'lines'),
    'auto',
    'json for machines, lines for people; auto: lines at a terminal.',
  ),
  endsWithInput: setting(
    'END_WITH_INPUT',
    read.flag,
    false,
    'Ends when standard input closes, together with the parent process.',
  ),
  logLevel: setting('LOG_LEVEL', read.oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info', 'How much is logged.'),
}

export type BaseConfig = { readonly [Name in keyof typeof baseConfig]: (typeof baseConfig)[Name]['fallback'] }
