import { expect, test } from 'vitest'
import { fromForm, toForm } from './answers.ts'

const column = (name: string, type: string) => ({ name, label: name, type, required: false, help: '', options: [] })
const field = (name: string, type: string, columns: ReturnType<typeof column>[] = []) => ({
  name,
  label: name,
  type,
  help: '',
  options: [],
  columns,
})
const fields = [
  field('name', 'text'),
  field('people', 'list'),
  field('hosts', 'rows', [column('name', 'text'), column('roles', 'list')]),
]

test('stored answers are edited and written back as they were', () => {
  const stored = { name: 'Lab', people: ['Ann', 'Bob'], hosts: [{ name: 'db-1', roles: ['database', 'backup'] }] }
  const form = toForm(fields, stored)
  expect(form).toEqual({ name: 'Lab', people: ['Ann', 'Bob'], hosts: [{ name: 'db-1', roles: 'database, backup' }] })
  expect(fromForm(fields, form)).toEqual(stored)
})

test('empty answers are left out, and so are empty rows', () => {
  expect(toForm(fields, null)).toEqual({ name: '', people: [], hosts: [] })
  expect(fromForm(fields, { name: ' ', people: ['', ' a '], hosts: [{ name: ' ' }, { name: 'x' }] })).toEqual({
    people: ['a'],
    hosts: [{ name: 'x' }],
  })
})
