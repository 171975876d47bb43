import { invalidField } from '@trellis/kit/errors'
import type { UploadParameters } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { checkSourceId } from '../entries/usable-id.ts'
import { knownFormatNames } from '../formats/active-formats.ts'
import { nearestNames } from '../formats/nearest-names.ts'
import { zoneOf } from '../formats/zone.ts'

/** How a file of an upload is to be read; settings that are missing are detected. */
export type UploadSettings = { sourceId?: string; format?: string; firstYear?: number; zone?: string }

const readFormat = (value: string): string => {
  const names = knownFormatNames()
  if (names.includes(value)) return value
  const near = nearestNames(value, names)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  throw invalidField(
    ['body', 'format'],
    `"${value.slice(0, 80)}" is not a format.${hint} GET /logs/api/formats lists them all.`,
  )
}

const readYear = (value: string): number => {
  if (/^(?:19|20)\d\d$/.test(value)) return Number(value)
  throw invalidField(['body', 'year'], `year must be one such as 2026, but is "${value.slice(0, 80)}".`)
}

const readZone = (value: string): string => {
  if (zoneOf(value)) return value
  throw invalidField(
    ['body', 'timezone'],
    `"${value.slice(0, 80)}" is not a time zone: use one such as Europe/Berlin or +02:00.`,
  )
}

const readers: Record<string, (value: string) => UploadSettings> = {
  source_id: (value) => ({ sourceId: checkSourceId(value) }),
  format: (value) => ({ format: readFormat(value) }),
  year: (value) => ({ firstYear: readYear(value) }),
  timezone: (value) => ({ zone: readZone(value) }),
}

/** Adds a field of the form; throws `invalid`, also for an unknown field. An empty field is ignored. */
export const withField = (settings: UploadSettings, name: string, value: string): UploadSettings => {
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined
  if (name === 'file') throw invalidField(['body', name], 'file must be a file with a name, and not a text.')
  if (!read)
    throw invalidField(
      ['body', name.slice(0, 80)],
      `is not a field of this form: it has file, ${Object.keys(readers).join(', ')}.`,
    )
  return value === '' ? settings : { ...settings, ...read(value) }
}

/** The settings in the query of an upload's URL. */
export const settingsOf = ({ sourceId, format, year, timezone }: UploadParameters): UploadSettings =>
  Object.entries({ source_id: sourceId, format, year, timezone }).reduce<UploadSettings>(
    (settings, [name, value]) => withField(settings, name, value ?? ''),
    {},
  )
