import { describe, expect, test } from 'vitest'
import { isOnlyMoney, readCount, readMoney, readNumber } from './money.ts'

test.each([
  ['1,234.56', 1234.56],
  ['1.234,56', 1234.56],
  ['1 234,56', 1234.56],
  ['1\u00a0234,56', 1234.56],
  ["1'234.50", 1234.5],
  ['1,234', 1234],
  ['1.234', 1234],
  ['12,5', 12.5],
  ['12.50', 12.5],
  ['0.125', 0.125],
  ['1,23,456.00', 123456],
  ['1.234.567', 1234567],
  ['68', 68],
])('the number %s is %s', (text, value) => {
  expect(readNumber(text)).toBe(value)
})

describe('money', () => {
  test.each([
    ['$68.99', 'USD', 68.99, 'USD'],
    ['$68.99', 'CAD', 68.99, 'CAD'],
    ['$68.99', 'EUR', 68.99, 'USD'],
    ['US $1,039.15', 'EUR', 1039.15, 'USD'],
    ['C $25.00', 'USD', 25, 'CAD'],
    ['AU $25.00', 'USD', 25, 'AUD'],
    ['£1,200', undefined, 1200, 'GBP'],
    ['EUR 3.500,00', undefined, 3500, 'EUR'],
    ['3.500,00 €', undefined, 3500, 'EUR'],
    ['€12,50', undefined, 12.5, 'EUR'],
    ['129,00 zł', undefined, 129, 'PLN'],
    ['CHF 1’250.00', undefined, 1250, 'CHF'],
    ['¥12,800', 'USD', 12800, 'JPY'],
    ['¥128', 'CNY', 128, 'CNY'],
    ['12,800 円', 'USD', 12800, 'JPY'],
    ['1 299,00 kr', 'DKK', 1299, 'DKK'],
    ['JPY 3,456', 'USD', 3456, 'JPY'],
    ['KWD 12.500', 'USD', 12.5, 'KWD'],
    ['KWD 1,250.500', 'USD', 1250.5, 'KWD'],
    ['CLP 12.500', 'USD', 12500, 'CLP'],
    ['HK$99.00', 'USD', 99, 'HKD'],
    ['R$ 1.250,00', 'USD', 1250, 'BRL'],
    ['MXN $1,234.50', 'USD', 1234.5, 'MXN'],
    ['$1,234.50 MXN', 'USD', 1234.5, 'MXN'],
    ['1 234,56 $ C', undefined, 1234.56, 'CAD'],
    ['COP $ 250.000', 'USD', 250000, 'COP'],
    ['CNY ¥128', 'USD', 128, 'CNY'],
    ['OUR $5.00', 'USD', 5, 'USD'],
    ['₹1,23,456.00', undefined, 123456, 'INR'],
    ['RM 45.00', undefined, 45, 'MYR'],
    ['19.99', 'GBP', 19.99, 'GBP'],
    ['$.99', 'USD', 0.99, 'USD'],
    ['Fr.50', undefined, 50, 'CHF'],
  ])('%s on a %s site', (text, site, amount, currency) => {
    expect(readMoney(text, site)).toEqual([{ amount, currency }])
  })

  test('a range has both ends, and one sign applies to both', () => {
    expect(readMoney('$10.00 to $20.00', undefined)).toEqual([
      { amount: 10, currency: 'USD' },
      { amount: 20, currency: 'USD' },
    ])
    expect(readMoney('EUR 10,00 bis EUR 20,00', undefined)).toEqual([
      { amount: 10, currency: 'EUR' },
      { amount: 20, currency: 'EUR' },
    ])
    expect(readMoney('10,00 à 20,00 EUR', undefined)).toEqual([
      { amount: 10, currency: 'EUR' },
      { amount: 20, currency: 'EUR' },
    ])
  })

  test.each([
    ['$5 a $10 MXN', ['5 MXN', '10 MXN']],
    ['$5 MXN a $10 MXN', ['5 MXN', '10 MXN']],
    ['$5.59 (EUR 4,80)', ['5.59 USD', '4.8 EUR']],
    ['$5.59 EUR 4,80', ['5.59 USD', '4.8 EUR']],
    ['$5.59 €4.80', ['5.59 USD', '4.8 EUR']],
    ['US $5.59 (AU $8.20)', ['5.59 USD', '8.2 AUD']],
  ])('each amount of %s has its own currency', (text, amounts) => {
    expect(readMoney(text, 'USD').map(({ amount, currency }) => `${amount} ${currency}`)).toEqual(amounts)
  })

  test('a number without a sign on a site without a currency is not money', () => {
    expect(readMoney('19.99', undefined)).toEqual([])
  })

  test.each([
    ['$68.99', true],
    ['$10.00 to $20.00', true],
    ['EUR 10,00 bis EUR 20,00', true],
    ['1 299,00 kr', true],
    ['12,800 円', true],
    ['+$4.00 delivery', false],
    ['Free delivery', false],
    ['$10 off every $200 with coupon', false],
    ['30% off', false],
    ['12 watchers', false],
  ])('"%s" is a price and nothing else: %s', (text, expected) => {
    expect(isOnlyMoney(text, 'USD')).toBe(expected)
  })
})

test.each([
  ['1,234', '', 1234],
  ['1.234', '', 1234],
  ['1.6', 'K', 1600],
  ['99.6', 'K', 99600],
  ['130', 'K', 130000],
  ['1,6', 'Tsd.', 1600],
  ['12,3', 'mila', 12300],
  ['1.6', '万', 16000],
  ['2,1', 'mil', 2100],
  ['1.2', 'M', 1200000],
  ['12', 'pieces', undefined],
  ['x', '', undefined],
])('the count "%s %s" is %s', (digits, unit, value) => {
  expect(readCount(digits, unit)).toBe(value)
})
