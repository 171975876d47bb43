import { readFileSync } from 'node:fs'
import { startTrellis } from '../support/trellis.ts'
import { median, round } from './machine.ts'

const rounds = 5
const settleMilliseconds = 5_000

const residentMegabytes = (pid: number): number | undefined => {
  if (process.platform !== 'linux') return undefined
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

/** Measures the time from the command to the first answer, and the memory of the idle process. */
export const benchStart = async (): Promise<string[]> => {
  const times: number[] = []
  let resident: number | undefined
  for (let turn = 0; turn < rounds; turn += 1) {
    const began = performance.now()
    await using trellis = await startTrellis()
    await fetch(`${trellis.origin}/ready`)
    times.push(performance.now() - began)
    if (turn < rounds - 1) continue
    await new Promise((resolve) => setTimeout(resolve, settleMilliseconds))
    resident = residentMegabytes(trellis.process.pid ?? 0)
  }
  return [
    `  ready in ${round(median(times))} ms (median of ${rounds}; target: below 2,000)`,
    resident === undefined
      ? '  resident memory: not measured on this system'
      : `  ${round(resident)} MB resident when idle (target: below 250)`,
  ]
}
