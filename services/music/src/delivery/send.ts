import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { type ByteContent, byteFrames } from '@trellis/kit/rpc'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import type { Delivery } from './export.ts'

/** Throws the error that the same request gets after a deletion; returns if nothing was deleted. */
export type CheckDeletion = () => Promise<unknown>

/** The error for a missing file of a request whose rows existed: what the request is about was deleted meanwhile, or the file was lost. */
export const explainMissing = async (error: unknown, checkDeletion: CheckDeletion): Promise<unknown> => {
  if (!isServiceError(error, 'not_found')) return error
  await checkDeletion()
  return serviceError('not_found', 'The audio no longer exists.', { cause: error })
}

type Sending = {
  readonly files: Files
  /** Writes the file, if it is missing. */
  readonly deliver: () => Promise<Delivery>
  readonly range?: string | null | undefined
  readonly filename?: string
  readonly checkDeletion: CheckDeletion
}

/** The frames of a file for download. */
export async function* sendDelivery(sending: Sending): AsyncGenerator<ByteFrame> {
  const { files, deliver, range, filename, checkDeletion } = sending
  try {
    const { key, ...content } = await deliver()
    const read: ByteContent['read'] = (part) => files.read(key, part)
    yield* byteFrames({ ...content, ...(filename === undefined ? {} : { filename }), read }, range)
  } catch (error) {
    throw await explainMissing(error, checkDeletion)
  }
}
