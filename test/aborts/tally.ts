import { type Case, titleOf } from './ways.ts'

/** More than sockets of both ends buffer before the client reads. */
const bufferedBytes = 256 * 1024

const maxFaults = 20

/** What came back to clients before they disappeared. */
export const createTally = () => {
  const faults: string[] = []
  let leftInTheMiddle = 0
  return {
    /** Takes the first packet of an answer. */
    add: (one: Case, packet: Buffer): void => {
      const head = packet.toString('latin1', 0, 4_096)
      const [, status = ''] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? []
      if (status === '500' && faults.length < maxFaults) faults.push(`${titleOf(one)}\n${head}`)
      const [, length] = /^content-length: (\d+)/im.exec(head) ?? []
      const isLong = length === undefined ? /^transfer-encoding: chunked/im.test(head) : Number(length) > bufferedBytes
      if (isLong && one.place === 'in the middle of the response') leftInTheMiddle += 1
    },
    /** Answers that say 500. */
    faults: (): readonly string[] => faults,
    /** Answers that were in progress when their client disappeared in the middle of them. */
    leftInTheMiddle: () => leftInTheMiddle,
  }
}
