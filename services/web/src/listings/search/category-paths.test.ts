import { expect, test } from 'vitest'
import { matchingPaths } from './category-paths.ts'

const paths = ['Cameras > Lenses', 'Audio > Speakers', 'Cameras > Film cameras', 'Lenses']

test('categories match by all words in any order, those that begin with the text first', () => {
  expect(matchingPaths(paths, 'lens')).toEqual(['Lenses', 'Cameras > Lenses'])
  expect(matchingPaths(paths, 'FILM cam')).toEqual(['Cameras > Film cameras'])
  expect(matchingPaths(paths, 'boats')).toEqual([])
  expect(matchingPaths(paths, '')).toHaveLength(4)
})
