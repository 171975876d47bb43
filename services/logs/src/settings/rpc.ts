import type { Handlers } from '@trellis/kit/rpc'
import {
  Settings as SettingsMessage,
  type SettingsServiceDefinition,
  type UpdateSettingsRequest,
} from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { type SettingsValues, settingNames } from './declared.ts'
import type { Settings } from './settings.ts'

const inCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Setting names in camel case, as messages have them. */
const toMessage = (values: SettingsValues): SettingsMessage =>
  SettingsMessage.fromPartial(Object.fromEntries(settingNames.map((name) => [inCamelCase(name), values[name]])))

const fromMessage = (request: UpdateSettingsRequest): Record<string, unknown> => {
  const fields: Readonly<Record<string, unknown>> = { ...request }
  return Object.fromEntries(settingNames.map((name) => [name, fields[inCamelCase(name)]]))
}

export const settingsRpc = ({ settings }: { settings: Settings }): Handlers<typeof SettingsServiceDefinition> => ({
  getSettings: async () => toMessage(await settings.show()),
  updateSettings: async (request) => {
    await settings.update(request.updateMask ?? [], fromMessage(request))
    return toMessage(await settings.show())
  },
})
