import type { LogFormat } from '../format.ts'
import { applicationFormats } from './application.ts'
import { jsonFormats } from './json.ts'
import { syslogFormats } from './syslog.ts'
import { containerFormats, genericFormats, systemFormats } from './system.ts'
import { webFormats } from './web.ts'

const logfmt: LogFormat = {
  kind: 'logfmt',
  name: 'logfmt',
  samples: [
    {
      line: 'time="2024-09-15T21:17:11.674149Z" level=warning msg="Failed to delete \\"x\\"" namespace=default pod=fe-7',
      time: '2024-09-15T21:17:11.674Z',
      severity: 'WARN',
      message: 'Failed to delete "x"',
      fields: { namespace: 'default', pod: 'fe-7' },
    },
    {
      line: 'logger=settings t=2024-04-24T19:51:48.520963849Z level=info msg=Starting version=11.5.2',
      time: '2024-04-24T19:51:48.520Z',
      severity: null,
    },
    {
      line: 'date=2024-10-14 time=13:46:40 logid="12" type="event" level="alert" action="fail"',
      time: '2024-10-14T13:46:40.000Z',
      severity: 'CRITICAL',
    },
  ],
}

/** All formats, those that know more first. A new one is a row in one of these tables; the engine does not change. */
export const logFormats: readonly LogFormat[] = [
  ...jsonFormats,
  ...containerFormats.filter((format) => format.name === 'cri'),
  ...syslogFormats,
  ...webFormats,
  ...applicationFormats,
  ...systemFormats,
  logfmt,
  ...containerFormats.filter((format) => format.name !== 'cri'),
  ...genericFormats,
]
