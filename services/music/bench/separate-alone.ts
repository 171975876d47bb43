/**
 * Separates a stereo piece of the length (s) of the first argument alone in this process, and prints the computing time over
 * its length and the peak of its physical memory: `{"ratio": 0.3, "peakMegabytes": 400}`.
 */
import { timeSeparation } from './separation.ts'

const ratio = await timeSeparation(Number(process.argv[2]))
// `maxRSS` is in kilobytes.
process.stdout.write(`${JSON.stringify({ ratio, peakMegabytes: process.resourceUsage().maxRSS / 1_024 })}\n`)
