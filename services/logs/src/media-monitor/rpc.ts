import { isSameSecret } from '@trellis/kit/credentials'
import { serviceError } from '@trellis/kit/errors'
import { type Handlers, readUpload, type UploadPart } from '@trellis/kit/rpc'
import type { MediaMonitorServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/media_monitor.ts'
import type { Dependencies } from '../dependencies.ts'
import { presentEntry } from '../entries/present.ts'
import { readNotification } from './notification.ts'
import { storeNotification } from './store-notification.ts'

/** The dependencies of receiving notifications. */
export type MediaMonitorDependencies = Pick<Dependencies, 'engine' | 'now' | 'settings'>

const maxBytes = 256 * 1024

const readBody = async (parts: AsyncIterable<UploadPart>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const part of parts) {
    if (part.kind === 'field') continue
    for await (const chunk of part.content) {
      size += chunk.length
      if (size > maxBytes) throw serviceError('too_large', `A notification may have at most ${maxBytes / 1024} KB.`)
      chunks.push(chunk)
    }
  }
  return Buffer.concat(chunks).toString('utf8')
}

const checkToken = async ({ settings }: MediaMonitorDependencies, provided: string): Promise<void> => {
  const { media_monitor_token: token } = await settings.read()
  if (token === '' || isSameSecret(provided, token)) return
  throw serviceError('unauthenticated', 'X-Notifier-Token must have the token of the setting media_monitor_token.', {
    headers: { 'www-authenticate': 'X-Notifier-Token realm="trellis"' },
  })
}

export const mediaMonitorRpc = (
  dependencies: MediaMonitorDependencies,
): Handlers<typeof MediaMonitorServiceDefinition> => ({
  ingestNotification: async (messages) => {
    const { parameters, parts } = await readUpload(messages)
    await checkToken(dependencies, parameters.notifierToken ?? '')
    const notification = readNotification(await readBody(parts), parameters.contentType ?? '')
    return presentEntry(await storeNotification(dependencies, notification))
  },
})
