import { batchOf, openShardIn } from './store-for-tests.ts'

/** Ingests batch after batch and prints the number of acknowledged lines, until it is killed. Run by the shard's test. */
const [, , directory = '', from = '0'] = process.argv
const { shard } = await openShardIn(directory)
for (let next = Number(from); next < 100_000; next += 7) {
  await shard.ingest(
    batchOf(
      Array.from({ length: 7 }, (_, index) => ({ text: `line ${next + index} of many`, sequence: next + index + 1 })),
    ),
  )
  process.stdout.write(`${next + 7}\n`)
}
