import { isIPv4 } from 'node:net'

/** Four numbers, wherever they begin: the `2` of `ec2-192-0-2-7` is none of them, and a pattern cannot know that. */
const fourNumbers = /(?<!\d)(?=(\d{1,3})([-.])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?!\d))/g

/**
 * Addresses that the name of a machine may stand for: providers put them into names, as in `ec2-192-0-2-7.example.net`, and some write them
 * backwards, as in `7.2.0.192.dsl.example.net`. Which of them is meant the name does not tell.
 */
export const addressesInName = (name: string): string[] => {
  if (isIPv4(name)) return []
  return [...name.matchAll(fourNumbers)]
    .flatMap(([, first, , second, third, fourth]) => {
      const numbers = [first, second, third, fourth]
      return [numbers.join('.'), numbers.toReversed().join('.')]
    })
    .filter((address) => isIPv4(address))
}
