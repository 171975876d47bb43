/**
 * Separates a stereo piece of the length (s) of the first argument alone in this process, and prints elapsed and processor time
 * over its length, and the peak of its physical memory: `{"elapsed": 0.3, "processor": 0.25, "peakMegabytes": 400}`.
 */
import { timeSeparation } from './separation.ts'

const time = await timeSeparation(Number(process.argv[2]))
// `maxRSS` is in kilobytes.
process.stdout.write(`${JSON.stringify({ ...time, peakMegabytes: process.resourceUsage().maxRSS / 1_024 })}\n`)
