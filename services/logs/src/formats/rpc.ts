import type { Handlers } from '@trellis/kit/rpc'
import type { Format, FormatsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/formats.ts'
import type { Dependencies } from '../dependencies.ts'
import { logFormats } from './library/mod.ts'
import type { UserFormatFile } from './user/user-formats.ts'

const ofUser = ({ name, description, file, error, format }: UserFormatFile): Format => ({
  name: name ?? null,
  description: description ?? null,
  source: 'user',
  file,
  error: error ?? null,
  example: format?.samples[0]?.line ?? null,
})

const builtIn: readonly Format[] = logFormats.map(({ name, samples }) => ({
  name,
  description: null,
  source: 'built_in',
  file: null,
  error: null,
  example: samples[0]?.line ?? null,
}))

export const formatsRpc = ({ formats }: Pick<Dependencies, 'formats'>): Handlers<typeof FormatsServiceDefinition> => ({
  listFormats: async () => ({ formats: [...(await formats.list()).map(ofUser), ...builtIn] }),
})
