import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A third-party server as a child process on loopback; it can be stopped and started again on its data. */
export type ServerProcess = AsyncDisposable & {
  /** Starts it again, on the same port and folder, and waits until it accepts connections. */
  start: () => Promise<void>
  /** Stops it with a signal and waits until it has exited. */
  stop: (signal?: NodeJS.Signals) => Promise<void>
  pid: () => number | undefined
  /** Resolves when it has exited, for any reason. */
  gone: () => Promise<void>
}

export type ServerCommand = {
  /** The name in messages. */
  name: string
  command: string
  args: readonly string[]
  environment?: Record<string, string>
  /** The user to run it as, if it does not run as root. */
  user?: { uid: number; gid: number }
  /** The port of 127.0.0.1 on which it accepts connections once it is ready. */
  port: number
  /** The signal for a graceful stop. */
  stopSignal?: NodeJS.Signals
  /** A further readiness check, polled until it returns true. */
  isReady?: () => Promise<boolean>
  /** How long a start may take; 30 s by default. */
  startLimitMilliseconds?: number
}

const defaultStartLimit = 30_000

const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => done(true)).once('error', () => done(false))
  })

/** Starts a server and waits until it is ready; the error of a failed start contains its output. */
export const startServerProcess = async (server: ServerCommand): Promise<ServerProcess> => {
  const { startLimitMilliseconds = defaultStartLimit } = server
  let child: ChildProcess | undefined
  let gone: Promise<void> = Promise.resolve()
  const start = async () => {
    let output = ''
    const started = spawn(server.command, server.args, {
      env: { PATH: '/usr/bin:/bin', ...server.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...server.user,
    })
    let ended: string | undefined
    started.once('error', (error) => (ended = error.message))
    started.once('exit', (code, signal) => (ended = `it ended with ${signal ?? code}`))
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)))
    }
    child = started
    gone = new Promise((resolve) => started.once('exit', () => resolve()).once('error', () => resolve()))
    const limit = Date.now() + startLimitMilliseconds
    while (!((await acceptsConnections(server.port)) && (await (server.isReady?.() ?? true)))) {
      if (ended !== undefined) throw new Error(`${server.name} did not start: ${ended}\n${output}`)
      if (Date.now() > limit) {
        started.kill('SIGKILL')
        throw new Error(`${server.name} was not ready after ${startLimitMilliseconds / 1_000} s:\n${output}`)
      }
      await sleep(20)
    }
  }
  const stop = async (signal: NodeJS.Signals = server.stopSignal ?? 'SIGTERM') => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  await start()
  return { start, stop, pid: () => child?.pid, gone: () => gone, [Symbol.asyncDispose]: () => stop() }
}
