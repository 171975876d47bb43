import { PassThrough } from 'node:stream'
import { addAbortListener } from '@trellis/kit/lifecycle'
import type { ClientChannel } from 'ssh2'
import { captureStderr, type RunningCommand } from '../command.ts'
import { shellCommand } from './shell-quote.ts'

/**
 * Runs a program that ends when its caller disconnects: sshd only notifies a command by the end of its standard input. A POSIX shell script; the
 * program is `"$@"`, its own input is empty, and its exit code is the script's.
 */
const tether =
  'exec 3<&0; "$@" </dev/null 3<&- & program=$!; { cat <&3; kill "$program"; } >/dev/null 2>&1 & watcher=$!; ' +
  'exec 3<&-; wait "$program"; code=$?; kill "$watcher" 2>/dev/null; exit "$code"'

/** The command line for a program on the remote host that ends with its channel. */
export const tetheredCommand = (words: readonly string[]): string => shellCommand(['sh', '-c', tether, 'sh', ...words])

export type Following = {
  /** Ends the program. */
  signal: AbortSignal
  /** The failure of a lost connection. */
  broken: (cause?: unknown) => Error
  /** Waits for the next output of the program; throws if it is silent for too long. */
  unlessSilent: <Answer>(answer: Promise<Answer>) => Promise<Answer>
}

/** Follows a program on the remote host through its channel. */
export const followCommand = (channel: ClientChannel, { signal, broken, unlessSilent }: Following): RunningCommand => {
  const stderr = captureStderr(channel.stderr)
  const output = channel.pipe(new PassThrough())
  const over = Promise.withResolvers<void>()
  let code: number | null | undefined
  let isStopped = false
  const stop = () => {
    isStopped = true
    channel.unpipe(output)
    // Remaining output is discarded, since a channel closes only after all of it has been read.
    channel.resume()
    channel.end()
    channel.close()
    output.end()
    over.resolve()
  }
  const unlink = addAbortListener(signal, stop)
  channel.once('exit', (exit: number | null) => {
    code = exit
  })
  channel.once('close', () => {
    if (!channel.readableEnded) output.destroy(broken())
    over.resolve()
  })
  const ended = over.promise.then(() => {
    unlink()
    // A channel that closes without an exit status was lost: the output may be incomplete.
    if (code === undefined && !isStopped) throw broken()
    return { code: code ?? null, stderr: stderr() }
  })
  ended.catch(() => undefined)
  async function* read() {
    const chunks: AsyncIterator<Buffer> = output[Symbol.asyncIterator]()
    try {
      for (let next = await unlessSilent(chunks.next()); !next.done; next = await unlessSilent(chunks.next()))
        yield next.value
    } finally {
      if (!output.readableEnded && !isStopped) stop()
    }
  }
  return { output: read(), ended }
}
