import { test } from 'node:test';
import { type CallEnvironment, createReference } from './call.ts';
import { checkCalls } from './cases.ts';

/** The orchard of Excel's documentation: criteria in A1:F3, the table in A5:E11. */
const ORCHARD: CallEnvironment = {
  grid: [
    ['Tree', 'Height', 'Age', 'Yield', 'Profit', 'Height'],
    ['=Apple', '>10', null, null, null, '<16'],
    ['=Pear', null, null, null, null, null],
    [],
    ['Tree', 'Height', 'Age', 'Yield', 'Profit'],
    ['Apple', 18, 20, 14, 105],
    ['Pear', 12, 12, 10, 96],
    ['Cherry', 13, 14, 9, 105],
    ['Apple', 14, 15, 10, 75],
    ['Pear', 9, 8, 8, 77],
    ['Apple', 8, 9, 6, 45],
  ],
};

const TABLE = createReference('A5:E11');

test('database functions use the records that match a criteria table', () => {
  checkCalls(
    [
      ['DCOUNT', [TABLE, 'Age', createReference('A1:F2')], 1],
      ['DCOUNTA', [TABLE, 'Profit', createReference('A1:F2')], 1],
      ['DMAX', [TABLE, 'Profit', createReference('A1:A3')], 105],
      ['DMIN', [TABLE, 'Profit', createReference('A1:B2')], 75],
      ['DSUM', [TABLE, 'Profit', createReference('A1:A2')], 225],
      ['DSUM', [TABLE, 'Profit', createReference('A1:F2')], 75],
      ['DPRODUCT', [TABLE, 'Yield', createReference('A1:B2')], 140],
      ['DAVERAGE', [TABLE, 'yield', createReference('A1:B2')], 12],
      ['DAVERAGE', [TABLE, 3, createReference('C1:C2')], 13],
      ['DSTDEV', [TABLE, 'Yield', createReference('A1:A3')], 2.966479394838265],
      ['DSTDEVP', [TABLE, 'Yield', createReference('A1:A3')], 2.6532998322843198],
      ['DVAR', [TABLE, 'Yield', createReference('A1:A3')], 8.8],
      ['DVARP', [TABLE, 'Yield', createReference('A1:A3')], 7.04],
      ['DGET', [TABLE, 'Yield', createReference('A1:A3')], '#NUM!'],
      ['DGET', [TABLE, 'Yield', createReference('A1:F2')], 10],
      ['DCOUNT', [TABLE, null, createReference('A1:A3')], 5],
      ['DSUM', [TABLE, 'Width', createReference('A1:A2')], '#VALUE!'],
      ['DSUM', [TABLE, 6, createReference('A1:A2')], '#VALUE!'],
    ],
    ORCHARD,
  );
});

test('a plain text criterion matches texts that begin with it', () => {
  const environment: CallEnvironment = {
    grid: [
      ['Name', 'Count', null, 'Name'],
      ['Ann', 1, null, 'an'],
      ['Anna', 2],
      ['Bea', 4],
      ['Joan', 8],
    ],
  };
  checkCalls(
    [
      ['DSUM', [createReference('A1:B5'), 'Count', createReference('D1:D2')], 3],
      ['DGET', [createReference('A1:B1'), 'Count', createReference('D1:D2')], '#VALUE!'],
    ],
    environment,
  );
});
