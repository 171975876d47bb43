import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server of somebody else's, run as a child process on loopback; it can be ended and started again on what it kept. */
export type ServerProcess = AsyncDisposable & {
  /** Starts it again, on the same port and folder, and waits until it takes connections. */
  start: () => Promise<void>
  /** Ends it with a signal and waits until it is gone. */
  stop: (signal?: NodeJS.Signals) => Promise<void>
  pid: () => number | undefined
  /** Resolves when it is gone, whoever ended it. */
  gone: () => Promise<void>
}

export type ServerCommand = {
  /** Names it in messages. */
  name: string
  command: string
  args: readonly string[]
  environment?: Record<string, string>
  /** The user to run it as, where it refuses to run as root. */
  user?: { uid: number; gid: number }
  /** The port of 127.0.0.1 that it takes connections on once it is ready. */
  port: number
  /** What asks it to end in order. */
  stopSignal?: NodeJS.Signals
  /** Asked beyond the open port, until it answers true. */
  isReady?: () => Promise<boolean>
}

const startLimitMilliseconds = 30_000

const takesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => done(true)).once('error', () => done(false))
  })

/** Starts a server and waits until it is ready; what it said is in the error if it does not come up. */
export const startServerProcess = async (server: ServerCommand): Promise<ServerProcess> => {
  let child: ChildProcess | undefined
  let gone: Promise<void> = Promise.resolve()
  const start = async () => {
    let said = ''
    const started = spawn(server.command, server.args, {
      env: { PATH: '/usr/bin:/bin', ...server.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...server.user,
    })
    let ended: string | undefined
    started.once('error', (error) => (ended = error.message))
    started.once('exit', (code, signal) => (ended = `it ended with ${signal ?? code}`))
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)))
    }
    child = started
    gone = new Promise((resolve) => started.once('exit', () => resolve()).once('error', () => resolve()))
    const limit = Date.now() + startLimitMilliseconds
    while (!((await takesConnections(server.port)) && (await (server.isReady?.() ?? true)))) {
      if (ended !== undefined) throw new Error(`${server.name} did not start: ${ended}\n${said}`)
      if (Date.now() > limit) {
        started.kill('SIGKILL')
        throw new Error(`${server.name} was not ready after ${startLimitMilliseconds / 1_000} s:\n${said}`)
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
