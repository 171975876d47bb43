import type { LogFormat } from '../format.ts'
import { applicationFormats } from './application.ts'
import { cloudFormats } from './cloud.ts'
import { databaseFormats } from './database.ts'
import { containerFormats, genericFormats } from './generic.ts'
import { goFormats } from './go.ts'
import { javaFormats } from './java.ts'
import { jsonAccess } from './json-access.ts'
import { jsonConventions } from './json-conventions.ts'
import { jsonExchange } from './json-exchange.ts'
import { jsonProducts } from './json-products.ts'
import { networkFormats } from './network.ts'
import { pythonFormats } from './python.ts'
import { securityFormats } from './security.ts'
import { syslogFormats } from './syslog.ts'
import { systemFormats } from './system.ts'
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
  ...jsonProducts,
  ...jsonAccess,
  ...jsonExchange,
  ...jsonConventions,
  ...containerFormats.filter((format) => format.name === 'cri'),
  ...securityFormats,
  ...networkFormats,
  ...cloudFormats,
  ...syslogFormats,
  ...webFormats,
  ...javaFormats,
  ...pythonFormats,
  ...goFormats,
  ...databaseFormats,
  ...systemFormats,
  ...applicationFormats,
  logfmt,
  ...containerFormats.filter((format) => format.name !== 'cri'),
  ...genericFormats,
]
