import { expect, test } from 'vitest'
import { bucketUrl } from './client.ts'

test.each([
  ['http://127.0.0.1:9000', true, 'http://127.0.0.1:9000/music'],
  ['https://store.example/s3/', true, 'https://store.example/s3/music'],
  ['https://s3.eu-central-1.amazonaws.com', false, 'https://music.s3.eu-central-1.amazonaws.com/'],
  ['https://store.example:8443/', false, 'https://music.store.example:8443/'],
])('bucketUrl of %s, path style %s, is %s', (endpoint, forcePathStyle, url) => {
  expect(bucketUrl({ endpoint, bucket: 'music', forcePathStyle }).href).toBe(url)
})
