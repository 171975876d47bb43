import { isIPv4 } from 'node:net'

/** Four numbers that start anywhere, not only at the beginning: the `2` of `ec2-192-0-2-7` is not one of them, which a pattern cannot know. */
const fourNumbers = /(?<!\d)(?=(\d{1,3})([-.])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?!\d))/g

/**
 * The addresses that a host name may contain: providers embed them in names, as in `ec2-192-0-2-7.example.net`, and some write them
 * reversed, as in `7.2.0.192.dsl.example.net`. The name does not show which order applies, so both are returned.
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
