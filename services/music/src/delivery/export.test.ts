import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { local, openPorts, openReplica, type Ports, upload } from '../../test/open-service.ts'
import { deliveryFolder } from '../audio/files-layout.ts'

const hour = 3_600_000

/** Files of a store that lists them in the order in which they were written, with times in whole hours. */
const withCoarseTimes = (files: Ports['files']): Ports['files'] => ({
  ...files,
  list: async function* (prefix) {
    const found = await Array.fromAsync(files.list(prefix))
    found.sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime())
    for (const info of found)
      yield { ...info, modifiedAt: new Date(Math.floor(info.modifiedAt.getTime() / hour) * hour) }
  },
})

test.each([
  ['later ones displace earlier ones, but not themselves, even with equal times', 2 * hour, 3],
  ['none is displaced in the first minute, in which it may be about to be sent', -hour, 6],
])('of the files of a chain %s', async (_, laterMilliseconds, retained) => {
  await using directory = await temporaryDirectory()
  await using ports = await openPorts(directory.path)
  const now = () => new Date(Date.now() + laterMilliseconds)
  await using service = await openReplica({ ...ports, files: withCoarseTimes(ports.files) }, { now })
  const { block } = playBand({ bpm: 120, bars: 1, sampleRate: 8_000, channels: 1 })
  const { chainId } = await upload(service, await wavOf(block, 8_000))
  for (let crossfadeMs = 0; crossfadeMs < 6; crossfadeMs += 1) {
    const frames = await Array.fromAsync(service.client.exportChain({ chainId, crossfadeMs }, { caller: local }))
    expect(frames.length).toBeGreaterThan(1)
  }
  expect(await Array.fromAsync(ports.files.list(deliveryFolder(chainId)))).toHaveLength(retained)
})
