import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describeExit, type Exit, isReadyMessage, supervise } from '@trellis/kit/process'

const module = fileURLToPath(new URL('../main.ts', import.meta.url))
const interrupted = 130
/** As long as an installation may ask for (`SHUTDOWN_SECONDS`), and some more; a second Ctrl-C ends it at once. */
const graceMilliseconds = 900_000

/** Exits by request are final; after a crash, or when the system killed it for memory, the process is started again. */
const isFailure = ({ code }: Exit): boolean => code !== 0 && code !== interrupted

/** In a process group of its own, so that Ctrl-C reaches this process alone; the end of its input tells it that this one is gone. */
const spawnTrellis = () => {
  const child = spawn(process.execPath, [...process.execArgv, module, ...process.argv.slice(2)], {
    env: { ...process.env, END_WITH_INPUT: '1' },
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  child.on('message', (message) => {
    if (isReadyMessage(message)) trellis.markReady()
  })
  return child
}

/** Runs Trellis, and starts it again when it crashes; what cannot start in the first place ends with its code. */
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
