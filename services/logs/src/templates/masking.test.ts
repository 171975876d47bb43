import { describe, expect, test } from 'vitest'
import { createMasker } from './masking.ts'

const { mask, form } = createMasker()
const formOf = (message: string) => {
  const bytes = Buffer.from(message)
  const size = mask(bytes, 0, bytes.length)
  return Buffer.from(form.subarray(0, size)).toString('utf8')
}

describe('the form of a message', () => {
  test.each([
    ['words remain', 'check pass; user unknown', 'check pass; user unknown'],
    ['a word with a digit is variable', 'took 12ms for job-7 on node3', 'took <*> for <*> on <*>'],
    ['white space is one space', '  rhost=  user=root\t now ', 'rhost= user=root now'],
    ['lists of any length have one form', 'ports 80, 443, 8080 open', 'ports <*> open'],
    ['adjacent values are one', 'at 12:30:05.123 10.0.0.7:8080 down', 'at <*> down'],
    ['values with separators of their own remain separate', 'uid=0 euid=0 (7) [8]', 'uid=<*> euid=<*> (<*>) [<*>]'],
    ['a date in words goes with its numbers', 'since Fri Jun 17 07:07:00 2005', 'since <*>'],
    ['a weekday without a number is a word', 'open Mon and Tue', 'open Mon and Tue'],
    ['a hardware address is variable, including its letters', 'bssid bc:ae:c5:de:ad:0f lost', 'bssid <*> lost'],
    ['an IPv6 address is variable', 'from fe80::dead:beef port 22', 'from <*> port <*>'],
    ['an address at the end of a sentence is variable', 'address is 2001:db8::ab: gone', 'address is <*>: gone'],
    ['names with colons are not addresses', 'Cafe::bad and a::b:c', 'Cafe::bad and a::b:c'],
    ['separate empty parentheses contain a missing value', 'from 10.0.0.7 () at', 'from <*> (<*>) at'],
    ['empty parentheses of a function remain', 'connect() failed', 'connect() failed'],
    ['only the first line counts', 'boom\n  at line 7', 'boom'],
    ['an empty first line is skipped', '\nboom 7', 'boom <*>'],
    ['letters beyond ASCII are letters', 'Käse für 3 Gäste', 'Käse für <*> Gäste'],
    ['an empty message has no form', '', ''],
  ])('%s', (_, message, expected) => {
    expect(formOf(message)).toBe(expected)
  })

  test('the form of a hostile message fits its buffer, and the end of a long message is ignored', () => {
    for (const message of ['1='.repeat(2_000), ' ()'.repeat(2_000), 'ab:1 '.repeat(2_000), 'x'.repeat(5_000)]) {
      expect(formOf(message).length).toBeLessThanOrEqual(form.length)
      expect(formOf(`${message}tail`)).toBe(formOf(message))
    }
  })
})
