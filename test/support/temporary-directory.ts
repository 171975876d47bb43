import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own that is gone when disposed. Servers that run as another user may pass through it. */
export const temporaryDirectory = async (): Promise<AsyncDisposable & { path: string }> => {
  const path = await mkdtemp(join(tmpdir(), 'trellis-test-'))
  await chmod(path, 0o711)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
