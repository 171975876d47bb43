import { type Case, titleOf } from './ways.ts'

/** More than the sockets of both ends buffer while the client does not read. */
const bufferedBytes = 256 * 1024

const maxFaults = 20

/** Counts what clients received before they disconnected. */
export const createTally = () => {
  const faults: string[] = []
  let leftInTheMiddle = 0
  return {
    /** Records the first packet of an answer. */
    add: (one: Case, packet: Buffer): void => {
      const head = packet.toString('latin1', 0, 4_096)
      const [, status = ''] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? []
      if (status === '500' && faults.length < maxFaults) faults.push(`${titleOf(one)}\n${head}`)
      const [, length] = /^content-length: (\d+)/im.exec(head) ?? []
      const isLong = length === undefined ? /^transfer-encoding: chunked/im.test(head) : Number(length) > bufferedBytes
      if (isLong && one.place === 'in the middle of the response') leftInTheMiddle += 1
    },
    /** Answers with status 500. */
    faults: (): readonly string[] => faults,
    /** Number of answers that were still in progress when their client disconnected. */
    leftInTheMiddle: () => leftInTheMiddle,
  }
}
