import type { LogFormat } from '../format.ts'
import { applianceFormats } from './appliances.ts'
import { applicationFormats } from './application.ts'
import { cloudFormats } from './cloud.ts'
import { containerFormats } from './containers.ts'
import { databaseFormats } from './database.ts'
import { deviceFormats } from './devices.ts'
import { distributedDatabaseFormats } from './distributed-databases.ts'
import { gameFormats } from './games.ts'
import { genericFormats } from './generic.ts'
import { genericDates, genericTimesWithin } from './generic-dates.ts'
import { genericLevels } from './generic-levels.ts'
import { goFormats } from './go.ts'
import { homeFormats } from './home.ts'
import { javaFormats } from './java.ts'
import { jsonAccess } from './json-access.ts'
import { jsonConventions } from './json-conventions.ts'
import { jsonExchange } from './json-exchange.ts'
import { jsonProducts } from './json-products.ts'
import { mailFormats } from './mail.ts'
import { monitoringFormats } from './monitoring.ts'
import { networkFormats } from './network.ts'
import { packageFormats } from './packages.ts'
import { pythonFormats } from './python.ts'
import { securityFormats } from './security.ts'
import { storageFormats } from './storage.ts'
import { syslogFormats } from './syslog.ts'
import { systemFormats } from './system.ts'
import { virtualizationFormats } from './virtualization.ts'
import { webFormats } from './web.ts'
import { webFrameworkFormats } from './web-frameworks.ts'
import { windowsFormats } from './windows.ts'

const logfmt: LogFormat = {
  kind: 'logfmt',
  name: 'logfmt',
  samples: [
    {
      line: 'time="2024-05-01T10:20:30.250000Z" level=warning msg="Nobody shut \\"the door\\"" namespace=shop pod=fe-7',
      time: '2024-05-01T10:20:30.250Z',
      severity: 'WARN',
      message: 'Nobody shut "the door"',
      fields: { namespace: 'shop', pod: 'fe-7' },
    },
    {
      line: 'logger=shelves t=2024-05-01T10:20:31.125000000Z level=info msg=ready rows=7',
      time: '2024-05-01T10:20:31.125Z',
      severity: null,
    },
    {
      line: 'date=2024-10-14 time=13:46:40 logid="12" type="event" level="alert" action="fail"',
      time: '2024-10-14T13:46:40.000Z',
      severity: 'CRITICAL',
    },
    {
      // A firewall's clock, its zone, and the moment in nanoseconds, which is later by what it took to write.
      line: 'date=2024-05-01 time=03:20:30 eventtime=1714558831250000417 tz="-0700" type="event" level="notice" msg="door is shut"',
      time: '2024-05-01T10:20:31.250Z',
      severity: null,
      message: 'door is shut',
    },
    { line: 'date=2024-05-01 time=03:20:30 tz="-0700" level="notice" row=7', time: '2024-05-01T10:20:30.000Z' },
    {
      line: 'device="SFW" date=2024-05-01 time=15:50:30 timezone="IST" priority=Warning message="kim stays outside"',
      time: '2024-05-01T10:20:30.000Z',
      severity: 'WARN',
    },
    {
      line: 'id=firewall sn=7A11 time="2024-05-01 10:20:30 UTC" fw=192.0.2.1 pri=1 m=30 msg="kim stays outside"',
      time: '2024-05-01T10:20:30.000Z',
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
  ...containerFormats.filter(({ name }) => name === 'cri'),
  ...securityFormats,
  ...applianceFormats,
  ...networkFormats,
  ...mailFormats,
  ...monitoringFormats,
  ...distributedDatabaseFormats,
  ...cloudFormats,
  ...containerFormats.filter(({ name }) => name === 'container-time' || name === 'kubectl-prefix'),
  ...syslogFormats,
  ...webFormats,
  ...webFrameworkFormats,
  ...javaFormats,
  ...pythonFormats,
  ...goFormats,
  ...databaseFormats,
  ...systemFormats,
  ...deviceFormats,
  ...windowsFormats,
  ...virtualizationFormats,
  ...storageFormats,
  ...packageFormats,
  ...homeFormats,
  ...gameFormats,
  ...applicationFormats,
  logfmt,
  ...containerFormats.filter(({ name }) => name === 'docker-compose' || name === 'syslog-priority'),
  ...genericFormats,
  ...genericDates,
  ...genericLevels,
  ...genericTimesWithin,
]
