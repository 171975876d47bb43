/** Prefixes and lengths of card numbers, by network (ISO/IEC 7812 and the networks' own tables). */
const networks: readonly { start: RegExp; lengths: readonly number[] }[] = [
  { start: /^4/, lengths: [13, 16, 19] },
  { start: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { start: /^3[47]/, lengths: [15] },
  { start: /^(?:30[0-5]|3[689])/, lengths: [14] },
  { start: /^35/, lengths: [16] },
  { start: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
]

/** The check digit of Luhn (ISO/IEC 7812-1, annex B). */
const hasCheckDigit = (digits: string): boolean => {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Whether digits, optionally with spaces or dashes, are a payment card number. */
export const isCardNumber = (written: string): boolean => {
  const digits = written.replaceAll(/[ -]/g, '')
  return (
    networks.some(({ start, lengths }) => lengths.includes(digits.length) && start.test(digits)) &&
    hasCheckDigit(digits)
  )
}
