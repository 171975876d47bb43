/**
 * Preloaded (`--import`) into every process of an installation under test, and thereby into its threads: replaces the calls
 * of Node that `files`, `store` and the log engine stand on by ones at which a fault can be injected. Only calls on paths
 * under TRELLIS_FAULTS_ROOT count. What to do is received over the socket TRELLIS_FAULTS_SOCKET.
 */
import childProcess, { type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import files, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import { basename, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import workerThreads, { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { createPoints, type FunctionName, sharedBytes, type ThreadName, threads } from './points.ts'

const root = resolve(process.env.TRELLIS_FAULTS_ROOT ?? '')
const socketPath = process.env.TRELLIS_FAULTS_SOCKET ?? ''
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

/** Ends the process as a crash would; nothing after the call runs. */
const crash = () => {
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

const always = () => true
replace(DatabaseSync.prototype, 'exec', (original) => intercept('sqlite.exec', original, always))
replace(StatementSync.prototype, 'run', (original) => intercept('sqlite.run', original, always))
replace(StatementSync.prototype, 'all', (original) => intercept('sqlite.all', original, always))
replace(StatementSync.prototype, 'get', (original) => intercept('sqlite.all', original, always))

// Children see only the environment and the options that they are given: the injector adds itself.
replace(
  childProcess,
  'fork',
  (original) =>
    function (this: unknown, module, args, options: ForkOptions = {}) {
      return original.call(this, module, args, {
        ...options,
        execArgv: ['--import', import.meta.url, ...(options.execArgv ?? [])],
        env: { ...options.env, TRELLIS_FAULTS_ROOT: root, TRELLIS_FAULTS_SOCKET: socketPath },
      })
    },
)

class NamedWorker extends workerThreads.Worker {
  constructor(module: string | URL, options?: workerThreads.WorkerOptions) {
    setEnvironmentData('trellis.thread', basename(String(module)))
    // A thread with an environment of its own needs the injector's variables in it, too.
    const env = options?.env
    super(module, {
      ...options,
      ...(env && typeof env === 'object' && { env: { ...env, TRELLIS_FAULTS_ROOT: root } }),
    })
  }
}
Object.assign(workerThreads, { Worker: NamedWorker })
syncBuiltinESMExports()

/** The program by its package, whether it runs from sources or from the bundle. */
const programOf = (main: string): string => main.match(/.*(all-in-one|listings|music|branch)/)?.[1] ?? 'other'

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
  // The process ends when its own work does.
  socket.unref()
}
