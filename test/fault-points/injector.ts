/**
 * Preloaded (`--import`) into every process of an installation under test, and thereby into its threads. Wraps the Node functions
 * that the ports and the log engine use, so that faults can be injected into their calls. File system calls count only for paths
 * under `root`. Commands arrive over `socket`. Both are query parameters of this module's URL, because a launcher passes on
 * NODE_OPTIONS but of other variables only those that a process reads.
 */
import childProcess, { type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import files, { type FileHandle } from 'node:fs/promises'
import http2, { type ClientHttp2Session, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { syncBuiltinESMExports } from 'node:module'
import { connect, Socket } from 'node:net'
import { basename, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import workerThreads, { getEnvironmentData, isMainThread, parentPort, setEnvironmentData } from 'node:worker_threads'
import { createPoints, type FunctionName, killMark, sharedBytes, type ThreadName, threads } from './points.ts'

const parameters = new URL(import.meta.url).searchParams
const root = resolve(parameters.get('root') ?? '')
const socketPath = parameters.get('socket') ?? ''
const memory = isMainThread
  ? new SharedArrayBuffer(sharedBytes)
  : (getEnvironmentData('trellis.faults') as SharedArrayBuffer)
const points = createPoints(memory)
const toThread = (module: unknown): ThreadName => threads.find((name) => String(module).includes(`${name}.`)) ?? 'other'
const thread: ThreadName = isMainThread ? 'main' : toThread(getEnvironmentData('trellis.thread'))

const failures: Record<string, () => Error> = {
  sqlite: () => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 }),
  write: () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 }),
  disk: () => Object.assign(new Error('EIO: i/o error'), { code: 'EIO', errno: -5 }),
}
const failureOf = (name: FunctionName): Error => {
  const make = name.startsWith('sqlite') ? failures.sqlite : name === 'write' ? failures.write : failures.disk
  return (make as () => Error)()
}

const block = (milliseconds: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

/** Crashes the process; nothing after the call runs. */
const crash = () => {
  fs.writeFileSync(killMark(socketPath), '')
  process.kill(process.pid, 'SIGKILL')
  block(60_000)
}

// biome-ignore lint/suspicious/noExplicitAny: functions of any signature are wrapped and called as they were
type Anything = any
type Wrapped = (this: unknown, ...args: Anything[]) => Anything

const intercept = (
  name: FunctionName,
  original: Wrapped,
  counts: (self: unknown, args: unknown[]) => boolean,
): Wrapped =>
  function (this: unknown, ...args) {
    const fault = counts(this, args) ? points.reach(thread, name) : undefined
    if (!fault) return original.apply(this, args)
    if (fault.kind === 'kill') crash()
    if (fault.kind === 'error') throw failureOf(name)
    block(fault.delayMilliseconds)
    return original.apply(this, args)
  }

const interceptAsync = (
  name: FunctionName,
  original: Wrapped,
  counts: (self: unknown, args: unknown[]) => boolean,
): Wrapped =>
  async function (this: unknown, ...args) {
    const fault = counts(this, args) ? points.reach(thread, name) : undefined
    if (fault?.kind === 'kill') crash()
    if (fault?.kind === 'error') throw failureOf(name)
    if (fault?.kind === 'delay') await delay(fault.delayMilliseconds)
    return original.apply(this, args)
  }

const isBelowRoot = (path: unknown): boolean => {
  const text = path instanceof URL ? fileURLToPath(path) : typeof path === 'string' ? path : ''
  return resolve(text).startsWith(root)
}
const byPath = (_self: unknown, args: unknown[]) => isBelowRoot(args[0])

const replace = (owner: object, key: string, make: (original: Wrapped) => Wrapped) => {
  const original = (owner as Record<string, Wrapped>)[key]
  if (original) Object.assign(owner, { [key]: make(original) })
}

const pathFunctions: Record<string, FunctionName> = {
  rename: 'rename',
  unlink: 'remove',
  rm: 'remove',
  mkdir: 'mkdir',
  readdir: 'readdir',
  opendir: 'readdir',
  stat: 'stat',
  lstat: 'stat',
  truncate: 'truncate',
  readFile: 'read',
  writeFile: 'write',
  appendFile: 'write',
}
for (const [key, name] of Object.entries(pathFunctions)) {
  replace(files, key, (original) => interceptAsync(name, original, byPath))
  replace(fs, `${key}Sync`, (original) => intercept(name, original, byPath))
}

const handles = new WeakSet<object>()
const descriptors = new Set<number>()
const byHandle = (self: unknown) => handles.has(self as object)
const byDescriptor = (_self: unknown, args: unknown[]) => descriptors.has(args[0] as number)

replace(files, 'open', (original) => {
  const faulty = interceptAsync('open', original, byPath)
  return async function (this: unknown, ...args) {
    const handle = (await faulty.apply(this, args)) as FileHandle
    if (isBelowRoot(args[0])) handles.add(handle)
    return handle
  }
})
replace(fs, 'openSync', (original) => {
  const faulty = intercept('open', original, byPath)
  return function (this: unknown, ...args) {
    const descriptor = faulty.apply(this, args) as number
    if (isBelowRoot(args[0])) descriptors.add(descriptor)
    return descriptor
  }
})
replace(
  fs,
  'closeSync',
  (original) =>
    function (this: unknown, ...args) {
      descriptors.delete(args[0] as number)
      return original.apply(this, args)
    },
)
const descriptorFunctions: Record<string, FunctionName> = {
  readSync: 'read',
  writeSync: 'write',
  writevSync: 'write',
  fsyncSync: 'sync',
  fdatasyncSync: 'sync',
  ftruncateSync: 'truncate',
}
for (const [key, name] of Object.entries(descriptorFunctions))
  replace(fs, key, (original) => intercept(name, original, byDescriptor))

const handleFunctions: Record<string, FunctionName> = {
  read: 'read',
  readFile: 'read',
  write: 'write',
  writev: 'write',
  writeFile: 'write',
  appendFile: 'write',
  sync: 'sync',
  datasync: 'sync',
  truncate: 'truncate',
}
{
  await using own = await files.open(fileURLToPath(import.meta.url))
  const prototype = Object.getPrototypeOf(own) as object
  for (const [key, name] of Object.entries(handleFunctions))
    replace(prototype, key, (original) => interceptAsync(name, original, byHandle))
}

const hour = 3_600_000
const systemNow = Date.now
const now = (): number => {
  const fault = points.reach(thread, 'clock.now')
  if (fault?.kind === 'kill') crash()
  if (fault?.kind === 'error') points.setClock(-hour)
  if (fault?.kind === 'delay') points.setClock(hour)
  return systemNow() + points.clockOffset()
}
globalThis.Date = new Proxy(Date, {
  construct: (original, args, target) => Reflect.construct(original, args.length === 0 ? [now()] : args, target),
  get: (original, key) => (key === 'now' ? now : Reflect.get(original, key, original)),
})

const always = () => true
replace(DatabaseSync.prototype, 'exec', (original) => intercept('sqlite.exec', original, always))
replace(StatementSync.prototype, 'run', (original) => intercept('sqlite.run', original, always))
replace(StatementSync.prototype, 'all', (original) => intercept('sqlite.all', original, always))
replace(StatementSync.prototype, 'get', (original) => intercept('sqlite.all', original, always))

/** `lose` breaks the channel of the message. The message is still sent afterwards, like by a sender that has not noticed yet. */
const interceptMessage = (
  name: FunctionName,
  original: Wrapped,
  lose: (self: Anything) => void,
  hold: (milliseconds: number, self: Anything) => void = block,
): Wrapped =>
  function (this: unknown, ...args) {
    const fault = points.reach(thread, name)
    if (fault?.kind === 'kill') crash()
    if (fault?.kind === 'error') lose(this)
    if (fault?.kind === 'delay') hold(fault.delayMilliseconds, this)
    return original.apply(this, args)
  }

// Child processes get only an explicit environment and options, so the injector adds itself to their options.
replace(
  childProcess,
  'fork',
  (original) =>
    function (this: unknown, module, args, options: ForkOptions = {}) {
      const child = original.call(this, module, args, {
        ...options,
        execArgv: ['--import', import.meta.url, ...(options.execArgv ?? [])],
      })
      replace(child, 'send', (send) => interceptMessage('worker.send', send, (self) => self.disconnect()))
      return child
    },
)
if (process.send)
  replace(process, 'send', (send) => interceptMessage('worker.send', send, () => process.disconnect?.()))

class NamedWorker extends workerThreads.Worker {
  constructor(module: string | URL, options?: workerThreads.WorkerOptions) {
    setEnvironmentData('trellis.thread', basename(String(module)))
    super(module, options)
  }
}
Object.assign(workerThreads, { Worker: NamedWorker })
// The thread ends without an error, like a thread that runs out of memory.
replace(workerThreads.Worker.prototype, 'postMessage', (post) =>
  interceptMessage('thread.post', post, (self) => void self.terminate()),
)
if (parentPort)
  replace(parentPort, 'postMessage', (post) => interceptMessage('thread.post', post, () => process.exit(1)))

/** The kind of server behind each remote port, from the settings of the process. */
const serverPorts = new Map<number, FunctionName>()
for (const [variable, name] of Object.entries({
  NATS_URL: 'bus.write',
  DATABASE_URL: 'store.write',
  S3_ENDPOINT: 'files.write',
} as const)) {
  const port = Number(URL.parse(process.env[variable] ?? '')?.port)
  if (port > 0) serverPorts.set(port, name)
}

const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104 })

const writeOf = Socket.prototype.write as Wrapped
replace(
  Socket.prototype,
  'write',
  () =>
    function (this: unknown, ...args) {
      const name = serverPorts.get((this as Socket).remotePort ?? 0)
      if (name === undefined) return writeOf.apply(this, args)
      const hold = (milliseconds: number, socket: Socket) => {
        socket.cork()
        setTimeout(() => socket.uncork(), milliseconds)
      }
      return interceptMessage(name, writeOf, (socket: Socket) => void socket.destroy(lost()), hold).apply(this, args)
    },
)

// An HTTP/2 session writes to its connection in native code, so only its calls and answers can be intercepted.
replace(
  http2,
  'connect',
  (original) =>
    function (this: unknown, ...args) {
      const session = original.apply(this, args) as ClientHttp2Session
      replace(session, 'request', (request) =>
        interceptMessage('rpc.call', request, () => setImmediate(() => session.destroy(lost()))),
      )
      return session
    },
)
for (const key of ['createServer', 'createSecureServer'])
  replace(
    http2,
    key,
    (original) =>
      function (this: unknown, ...args) {
        const server = original.apply(this, args) as Http2Server
        server.on('stream', (stream: ServerHttp2Stream) =>
          replace(stream, 'respond', (respond) =>
            // After the answer, because a stream whose connection is known to be lost is not answered.
            interceptMessage('rpc.answer', respond, () => process.nextTick(() => stream.session?.destroy(lost()))),
          ),
        )
        return server
      },
  )
syncBuiltinESMExports()

/** The program name by package, for sources and bundles; a worker is named after its service. */
const programOf = (main: string): string => {
  const [, name = 'other'] = main.match(/.*(all-in-one|listings|logs|music|branch|edge|workloads|distributed)/) ?? []
  return /worker/.test(main) ? `${name} worker` : name
}

if (isMainThread && socketPath !== '') {
  setEnvironmentData('trellis.faults', memory)
  const socket = connect(socketPath)
  socket.on('error', () => undefined)
  const program = programOf(process.argv[1] ?? '')
  const answer = (message: object) =>
    void socket.write(`${JSON.stringify({ pid: process.pid, program, ...message })}\n`)
  answer({ hello: true })
  const obey = (line: string) => {
    const { id, arm, disarm, reset, counts } = JSON.parse(line)
    if (arm && arm.program === program) points.arm(arm)
    if (reset) points.reset()
    answer({ id, ...(disarm && { fired: points.disarm() }), ...(counts && { counts: points.counts() }) })
  }
  const lines = createInterface({ input: socket })
  lines.on('line', obey)
  await once(lines, 'line')
  // Do not keep the process alive.
  socket.unref()
}
