import { expect, test } from 'vitest'
import { type ListedImage, outdatedImages } from './outdated-images.ts'

const digest = (number: number): string => String(number).padStart(12, 'a')
const image = (repository: string, number: number): ListedImage => ({
  names: [`localhost/${repository}:${digest(number)}`],
  created: number,
})

test('all but the two newest images of each repository are outdated', () => {
  const images = [1, 3, 2, 4].flatMap((number) => [
    image('trellis', number),
    image('trellis-search-worker', number + 10),
  ])
  expect(outdatedImages(images, 2).sort()).toEqual([
    `localhost/trellis-search-worker:${digest(11)}`,
    `localhost/trellis-search-worker:${digest(12)}`,
    `localhost/trellis:${digest(1)}`,
    `localhost/trellis:${digest(2)}`,
  ])
})

test('images not built by tests are never outdated', () => {
  const others = ['localhost/trellis:dev', 'localhost/node:26', 'example.com/trellis:0123456789ab']
  expect(
    outdatedImages([...others.map((name) => ({ names: [name], created: 1 })), { names: null, created: 0 }], 0),
  ).toEqual([])
})
