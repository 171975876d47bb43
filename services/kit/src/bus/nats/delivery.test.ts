import { expect, test } from 'vitest'
import { readDelivery } from './delivery.ts'

const expected = {
  deliveries: 2,
  sequence: 1795295180892001,
  consumerSequence: 7,
  storedAt: 1795295180896.9,
  pending: 3,
}
const numbers = '2.1795295180892001.7.1795295180896900000.3'

test('a delivery is parsed from its reply subject, in the short and the long form', () => {
  for (const reply of [
    `$JS.ACK.a~b.c.${numbers}`,
    `$JS.ACK.hub.h4sh.a~b.c.${numbers}`,
    `$JS.ACK._.h4sh.a~b.c.${numbers}.token`,
  ]) {
    const { storedAt, ...found } = readDelivery(reply) ?? { storedAt: 0 }
    expect({ ...found, storedAt: Math.round(storedAt * 10) / 10 }).toEqual(expected)
  }
})

test('a subject of any other shape is not parsed as a delivery', () => {
  for (const reply of [undefined, '', '_INBOX.abc', '$JS.ACK.a.b.x.y.z.1.2', '$JS.FC.a.b.c'])
    expect(readDelivery(reply)).toBeUndefined()
})
