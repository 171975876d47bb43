import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describeExit, type Exit, isReadyMessage, supervise } from '@trellis/kit/supervision'

const module = fileURLToPath(new URL('../main.ts', import.meta.url))
const interrupted = 130
/** In MB, half of V8's limit: both semi-spaces stay allocated after a start. No more CPU was measured for ingestion and searches, on a busy machine. */
const semiSpace = '--max-semi-space-size=16'
/** More than the maximum of `SHUTDOWN_SECONDS`; a second Ctrl-C ends it at once. */
const graceMilliseconds = 900_000

/** Whether an exit leads to a restart: a crash or an out-of-memory kill does, a requested exit does not. */
const isFailure = ({ code }: Exit): boolean => code !== 0 && code !== interrupted

/** Spawns Trellis in a separate process group, so that Ctrl-C reaches only this process; it detects our end by the end of its input. */
const spawnTrellis = () => {
  const child = spawn(process.execPath, [semiSpace, ...process.execArgv, module, ...process.argv.slice(2)], {
    env: { ...process.env, END_WITH_INPUT: '1' },
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  child.on('message', (message) => {
    if (isReadyMessage(message)) trellis.markReady()
  })
  return child
}

/** Runs Trellis and restarts it when it crashes; if the first start fails, this process exits with its code. */
const trellis = supervise({
  spawn: spawnTrellis,
  isFailure,
  graceMilliseconds,
  onRestart: (exit, pause) =>
    void process.stderr.write(`Trellis ${describeExit(exit)}. It starts again in ${pause / 1_000} s.\n`),
})

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (isStopping) trellis.signal('SIGTERM')
    else void trellis.stop()
    isStopping = true
  })
}
const { code } = await trellis.ended
process.exit(code ?? 1)
