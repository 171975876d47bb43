import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvHeader, decodeCsv, maxImport, readCsv, toCsv } from './csv.ts'

const entry = (change: Record<string, string | null>) => ({
  platform: 'marketplace',
  platform_seller_id: 'seller',
  username: 'Seller',
  reason: null,
  source: 'manual' as const,
  created_at: '2026-03-01T09:15:02.000Z',
  ...change,
})

describe('a blocklist as CSV', () => {
  test('has a header, and a line for each entry', () => {
    expect(csvHeader).toBe('platform,platform_seller_id,username,reason,source,created_at\r\n')
    expect(toCsv([entry({ reason: 'claimed "new", sent broken' })])).toBe(
      'marketplace,seller,Seller,"claimed ""new"", sent broken",manual,2026-03-01T09:15:02.000Z\r\n',
    )
  })

  test.each(['=HYPERLINK("x")', '+1', '-1', '@SUM(A1)', '\tx', '\rx', "'=1", '＝1'])(
    'escapes the formula %j with an apostrophe',
    (reason) => {
      expect(toCsv([entry({ reason })])).toContain(`'${reason.replaceAll('"', '""')}`)
    },
  )

  test('is imported as it was exported, whatever its text is', async () => {
    const text = fc
      .oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
        fc.stringMatching(/^'{0,3}[=+\-@][\s\S]{0,20}$/),
        fc.stringMatching(/^[a\r\n",]{1,9}$/),
      )
      .map((value) => value.trim().replaceAll('\0', '').toWellFormed())
      .filter((value) => value !== '')
    await fc.assert(
      fc.asyncProperty(text, text, text, async (id, username, reason) => {
        const read = await readCsv(csvHeader + toCsv([entry({ platform_seller_id: id, username, reason })]), 'other')
        expect(read).toEqual({
          entries: [{ platform: 'marketplace', platform_seller_id: id, username, reason, source: 'csv_import' }],
          errors: [],
        })
      }),
    )
  })

  test('is read with a byte-order mark, columns in any order, other columns, and line ends of any kind', async () => {
    const text = decodeCsv(Buffer.from('\ufeffnote,Username,platform_seller_id\r\nx,Ann,a\n\ny,Bob,b\n'))
    expect((await readCsv(text, 'marketplace')).entries).toEqual([
      { platform: 'marketplace', platform_seller_id: 'a', username: 'Ann', reason: null, source: 'csv_import' },
      { platform: 'marketplace', platform_seller_id: 'b', username: 'Bob', reason: null, source: 'csv_import' },
    ])
  })

  test.each(['sep=;\r\n', '\uFEFFSEP=;\n'])(
    'is read after the line of a spreadsheet that states the delimiter: %j',
    async (line) => {
      const { entries, errors } = await readCsv(
        `${line}platform_seller_id;username\r\n1;ann\r\n;bob\r\n`,
        'marketplace',
      )
      expect(entries).toMatchObject([{ platform_seller_id: '1', username: 'ann' }])
      expect(errors).toEqual(['Row 3: platform_seller_id is missing.'])
    },
  )

  test('reports rows without required values, counting the header as row 1', async () => {
    const { entries, errors } = await readCsv('platform_seller_id,username\na,Ann\n,Bob\nc,\nd\ne,Eve', 'marketplace')
    expect(entries.map(({ platform_seller_id: id }) => id)).toEqual(['a', 'e'])
    expect(errors).toEqual([
      'Row 3: platform_seller_id is missing.',
      'Row 4: username is missing.',
      'Row 5: username is missing.',
    ])
  })

  test('reports rows of separators only, and skips empty lines, which count as rows', async () => {
    const { entries, errors } = await readCsv('platform_seller_id,username\na,Ann\n,\n\n  \n,Bob', 'marketplace')
    expect(entries).toHaveLength(1)
    expect(errors).toEqual(['Row 3: platform_seller_id is missing.', 'Row 6: platform_seller_id is missing.'])
  })

  test('keeps quotes within a cell that has none around it', async () => {
    const { entries } = await readCsv(
      'platform_seller_id,username\nx,The 19" rack shop\n"y","Bob ""B"""',
      'marketplace',
    )
    expect(entries.map(({ username }) => username)).toEqual(['The 19" rack shop', 'Bob "B"'])
  })

  test('reports every row if a required column is missing', async () => {
    expect(await readCsv('platform_seller_id\na\nb', 'marketplace')).toEqual({
      entries: [],
      errors: ['Row 2: username is missing.', 'Row 3: username is missing.'],
    })
  })

  test('reports every row that cannot be imported, however many there are', async () => {
    const { errors } = await readCsv(`platform_seller_id,username\n${'a,\n'.repeat(1_003)}`, 'marketplace')
    expect(errors).toHaveLength(1_003)
    expect(errors.at(-1)).toBe('Row 1004: username is missing.')
  })

  test('reports cells that are too long', async () => {
    expect((await readCsv(`platform_seller_id,username\n${'x'.repeat(201)},Ann`, 'marketplace')).errors).toEqual([
      'Row 2: platform_seller_id is longer than 200 characters.',
    ])
  })

  test('counts characters like the form for one seller, so that a name of emoji that fits there is imported again', async () => {
    const username = '🛒'.repeat(200)
    const csv = csvHeader + toCsv([entry({ username })])
    expect(await readCsv(csv, 'marketplace')).toMatchObject({ entries: [{ username }], errors: [] })
    expect((await readCsv(csv.replace(username, `${username}🛒`), 'marketplace')).errors).toEqual([
      'Row 2: username is longer than 200 characters.',
    ])
  })

  test('that is not UTF-8 is malformed', () => {
    expect(() => decodeCsv(Buffer.from([0x61, 0xff]))).toThrow(expect.objectContaining({ kind: 'malformed' }))
  })

  test('with an unclosed quote, or a record that never ends, is invalid', async () => {
    await expect(readCsv('platform_seller_id,username\n"a,Ann', 'm')).rejects.toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    )
    await expect(readCsv(`platform_seller_id,username\n"${'a'.repeat(200_000)}",Ann`, 'm')).rejects.toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    )
  })

  test('with more rows than the maximum is too large', async () => {
    const text = `platform_seller_id,username\n${'a,Ann\n'.repeat(maxImport.rows + 1)}`
    await expect(readCsv(text, 'm')).rejects.toThrow(expect.objectContaining({ kind: 'too_large' }))
  })

  test.each([';', '\t'])(
    'may separate cells by %j, as spreadsheets do where the comma separates decimals',
    async (by) => {
      const line = (...cells: string[]) => `${cells.join(by)}\r\n`
      const text =
        line('platform_seller_id', 'username', 'reason') + line('a', 'Ann', '"1,5 kg, not 2"') + line('b', '', '')
      const { entries, errors } = await readCsv(text, 'marketplace')
      expect(entries).toMatchObject([{ platform_seller_id: 'a', username: 'Ann', reason: '1,5 kg, not 2' }])
      expect(errors).toEqual(['Row 3: username is missing.'])
    },
  )

  test('that is empty has no entries', async () => {
    expect(await readCsv('', 'm')).toEqual({ entries: [], errors: [] })
  })
})
