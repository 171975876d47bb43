/**
 * Generates files of the chart: copies of the CustomResourceDefinitions, since a chart cannot include files outside of its folder,
 * the schema of its values, and the accounts of the bundled NATS with their permissions.
 */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { natsAccounts } from '@trellis/distributed/servers'
import { valuesSchema } from './values-schema.ts'

const definitions = fileURLToPath(new URL('../../crds/', import.meta.url))
const chart = fileURLToPath(new URL('../../charts/trellis/', import.meta.url))
const copies = `${chart}files/crds/`

await mkdir(copies, { recursive: true })
const names = (await readdir(definitions)).filter((name) => name.endsWith('.yaml'))
for (const name of await readdir(copies)) if (!names.includes(name)) await rm(`${copies}${name}`)
for (const name of names) await copyFile(`${definitions}${name}`, `${copies}${name}`)
await writeFile(`${chart}values.schema.json`, `${JSON.stringify(valuesSchema, undefined, 2)}\n`)

/** Placeholder that the chart replaces by the value nats.prefix. */
const prefix = 'NATSPREFIX'
const services = ['operator', 'listings', 'logs', 'music'] as const
for (const [name, filesInNats] of [
  ['s3', false],
  ['files', true],
] as const)
  await writeFile(`${chart}files/nats-accounts-${name}.conf`, natsAccounts({ prefix, services, filesInNats }))
