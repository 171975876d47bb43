import { execFile } from 'node:child_process'
import { constants, getPriority } from 'node:os'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = new URL('./lower-priority.ts', import.meta.url).href

/** A process whose second thread lowers its priority; it prints the nice values of both threads. */
const program = `
import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
const niceness = () => getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
const work = \`
import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
const { lowerPriority } = await import(${JSON.stringify(module)})
lowerPriority()
parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))))
\`
const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(work)))
worker.on('message', (there) => console.log(JSON.stringify({ here: niceness(), there })))
`

test.runIf(process.platform === 'linux')(
  'lowering the priority of one thread leaves the others unchanged',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    const { here, there } = JSON.parse(stdout) as { here: number; there: number }
    expect([here, there]).toEqual([getPriority(), constants.priority.PRIORITY_LOW])
  },
)
