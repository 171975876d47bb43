import type { LogFormat } from '../format.ts'
import { clock, isoDate, pattern } from './pieces.ts'

/** What programs of a home write: media, lights, downloads. */
export const homeFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'homebridge',
    pattern: pattern`^\[(?<time>\d{1,2}/\d{1,2}/\d{4}, \d{1,2}:\d{2}:\d{2}(?: [AP]M)?)\] (?:\[(?<plugin>[^\]]+)\] )?(?<message>.*)`,
    time: 'americanYear',
    joins: 'untilHeader',
    samples: [
      {
        line: '[5/1/2024, 1:20:30 PM] [Blinds] Cannot reach the bridge',
        time: '2024-05-01T13:20:30.000Z',
        severity: 'ERROR',
        fields: { plugin: 'Blinds' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zigbee2mqtt',
    pattern: pattern`^Zigbee2MQTT:(?<level>\w+) +(?<time>${isoDate} ${clock}): (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: 'Zigbee2MQTT:warn  2024-05-01 10:20:30: Device lamp left the network',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'Device lamp left the network',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'esphome',
    pattern: pattern`^\[(?<clock>\d{2}:\d{2}:\d{2}(?:\.\d+)?)\]\[(?<level>[EWICDV])\]\[(?<component>[^\]]+)\](?:\[(?<task>[^\]]+)\])?: (?<message>.*)`,
    // Its configuration, listed at each start.
    levels: new Map([['c', null]]),
    joins: 'traces',
    samples: [
      {
        line: '[10:20:30][W][component:214]: Component api took a long time for an operation',
        time: null,
        severity: 'WARN',
        fields: { component: 'component:214' },
      },
      { line: '[10:20:30][C][wifi:405]: WiFi:', severity: null, message: 'WiFi:' },
      {
        line: '[10:20:30.250][W][wifi_esp32:482][arduino_events]: Event: Disconnected',
        severity: 'WARN',
        message: 'Event: Disconnected',
        fields: { component: 'wifi_esp32:482', task: 'arduino_events' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'plex',
    pattern: pattern`^(?<time>[A-Z][a-z]{2} \d{1,2}, \d{4} \d{2}:\d{2}:\d{2}(?:[.,:]\d+)?) \[(?<thread>\w+)(?:/(?<request>[^\]]*))?\] (?<level>[A-Z]+) - (?<message>.*)`,
    time: 'syslog',
    joins: 'untilHeader',
    samples: [
      {
        line: 'May 01, 2024 10:20:30.123 [140123456] ERROR - Unable to find title for item',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'Unable to find title for item',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'qbittorrent',
    pattern: pattern`^\((?<level>[NIWC])\) (?<time>${isoDate}T${clock}) - (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '(W) 2024-05-01T10:20:30 - File error alert. Torrent: "debian". Reason: no space',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'transmission',
    pattern: pattern`^\[(?<time>${isoDate} ${clock})\] (?<level>crt|err|wrn|inf|dbg|trc) (?:(?<file>[\w.-]+\.cc:\d+) |(?=.*\([\w.-]+\.(?:cc|c|mm):\d+\)$))(?<message>.*)`,
    time: 'iso',
    levels: new Map([['crt', 'CRITICAL']]),
    joins: 'traces',
    samples: [
      {
        line: '[2024-05-01 10:20:30.123] wrn rpc-server.cc:77 kim stays outside',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'kim stays outside',
        fields: { file: 'rpc-server.cc:77' },
      },
      { line: '[2024-05-01 10:20:30.123] inf session.cc:7 row 7 failed once', severity: null },
      { line: '[2024-05-01 10:20:30.123] crt session.cc:7 no room', severity: 'CRITICAL' },
      {
        line: '[2024-05-01 10:20:30.123] wrn Films of 7 Connection failed (announcer.cc:77)',
        severity: 'WARN',
        message: 'Films of 7 Connection failed (announcer.cc:77)',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mpd',
    pattern: pattern`^(?<time>[A-Z][a-z]{2} \d{1,2} \d{2}:\d{2}) : (?:(?<domain>\w+): )?(?<message>.*)`,
    time: ['monthName', 'day', 'hour', 'minute'],
    joins: 'traces',
    samples: [
      {
        line: 'May 01 10:20 : exception: Failed to open row 7',
        time: '2024-05-01T10:20:00.000Z',
        severity: 'ERROR',
        message: 'Failed to open row 7',
        fields: { domain: 'exception' },
      },
    ],
  },
]
