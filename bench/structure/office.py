# Performs operations on workbooks in LibreOffice and prints the resulting formulas, names and values.
# office.py JOB: {"cases": [{"file", "operations"}]} → one JSON line per case: {"cells": {sheet: {A1: [formula, value]}}, "names"}
import json
import os
import subprocess
import sys
import tempfile
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.sheet.CellDeleteMode import LEFT, UP
from com.sun.star.sheet.CellInsertMode import DOWN, RIGHT
from com.sun.star.sheet.FillDateMode import FILL_DATE_DAY
from com.sun.star.sheet.FillDirection import TO_BOTTOM
from com.sun.star.sheet.FillMode import SIMPLE
from com.sun.star.table.CellContentType import EMPTY, FORMULA, TEXT
from com.sun.star.table import CellAddress, CellRangeAddress, TableSortField
from com.sun.star.uno import RuntimeException
from com.sun.star.util import NumberFormat

FILE_GRAMMAR = 3  # AddressConvention.XL_OOX
STARTING_SECONDS = 60


def property(name, value):
    made = PropertyValue()
    made.Name, made.Value = name, value
    return made


def letters(column):
    text = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        text = chr(65 + digit) + text
    return text


class Office:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="office-")
        pipe = f"office-{os.getpid()}"
        self.process = subprocess.Popen(
            ["soffice", "--headless", "--norestore", f"-env:UserInstallation=file://{self.home}", f"--accept=pipe,name={pipe};urp;"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        until = time.time() + STARTING_SECONDS
        while True:
            try:
                self.context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
                break
            except Exception:
                if time.time() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.2)
        self.desktop = self.context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", self.context)

    def end(self):
        try:
            self.desktop.terminate()
        except Exception:
            pass
        self.process.wait(30)

    def open(self, path):
        return self.desktop.loadComponentFromURL(uno.systemPathToFileUrl(path), "_blank", 0, (property("Hidden", True),))


class Book:
    def __init__(self, document):
        self.document = document
        self.sheets = document.Sheets

    def range(self, sheet, area):
        return self.sheets.getByName(sheet).getCellRangeByPosition(area["left"], area["top"], area["right"], area["bottom"])

    def address(self, sheet, area):
        return self.range(sheet, area).RangeAddress

    def cell(self, sheet, row, column):
        return self.sheets.getByName(sheet).getCellByPosition(column, row).CellAddress

    def lines(self, sheet, axis):
        target = self.sheets.getByName(sheet)
        return target.Rows if axis == "rows" else target.Columns

    def perform(self, kind, **arguments):
        getattr(self, kind)(**arguments)

    def insert(self, sheet, axis, at, count):
        self.lines(sheet, axis).insertByIndex(at, count)

    def delete(self, sheet, axis, at, count):
        self.lines(sheet, axis).removeByIndex(at, count)

    def insertCells(self, sheet, area, shift):
        self.sheets.getByName(sheet).insertCells(self.address(sheet, area), DOWN if shift == "down" else RIGHT)

    def deleteCells(self, sheet, area, shift):
        self.sheets.getByName(sheet).removeRange(self.address(sheet, area), UP if shift == "up" else LEFT)

    def cut(self, sheet, area, toSheet, row, column):
        self.sheets.getByName(sheet).moveRange(self.cell(toSheet, row, column), self.address(sheet, area))

    def copy(self, sheet, area, toSheet, row, column):
        self.sheets.getByName(sheet).copyRange(self.cell(toSheet, row, column), self.address(sheet, area))

    def fill(self, sheet, area, to):
        self.range(sheet, to).fillSeries(TO_BOTTOM, SIMPLE, FILL_DATE_DAY, 1, 1e300)

    def sort(self, sheet, area, column, descending):
        field = TableSortField()
        field.Field, field.IsAscending, field.IsCaseSensitive = column - area["left"], not descending, False
        fields = uno.Any("[]com.sun.star.table.TableSortField", (field,))
        descriptor = (
            property("SortFields", fields),
            property("ContainsHeader", False),
            property("IsSortColumns", False),
        )
        uno.invoke(self.range(sheet, area), "sort", (uno.Any("[]com.sun.star.beans.PropertyValue", descriptor),))

    def duplicateSheet(self, sheet, name):
        self.sheets.copyByName(sheet, name, self.sheets.Count)

    def moveSheet(self, sheet, order):
        # LibreOffice counts the target position while the moved sheet is still at its old position.
        at = [*self.sheets.ElementNames].index(sheet)
        self.sheets.moveByName(sheet, order + 1 if order > at else order)

    def renameSheet(self, sheet, name):
        self.sheets.getByName(sheet).Name = name

    def deleteSheet(self, sheet):
        self.sheets.removeByName(sheet)

    def addSheet(self, name):
        self.sheets.insertNewByName(name, self.sheets.Count)

    def contents(self):
        self.document.calculateAll()
        parser = self.document.createInstance("com.sun.star.sheet.FormulaParser")
        parser.CompileEnglish = True
        parser.FormulaConvention = FILE_GRAMMAR
        cells = {}
        for index in range(self.sheets.Count):
            sheet = self.sheets.getByIndex(index)
            cursor = sheet.createCursor()
            cursor.gotoEndOfUsedArea(False)
            end = cursor.RangeAddress
            sheet_cells = {}
            for row in range(end.EndRow + 1):
                for column in range(end.EndColumn + 1):
                    cell = sheet.getCellByPosition(column, row)
                    if cell.Type != EMPTY:
                        sheet_cells[f"{letters(column)}{row + 1}"] = self.describe(parser, cell)
            cells[sheet.Name] = sheet_cells
        names = {}
        for name in self.document.NamedRanges.ElementNames:
            named_range = self.document.NamedRanges.getByName(name)
            names[name] = "=" + parser.printFormula(named_range.Tokens, CellAddress())
        return {"cells": cells, "names": names}

    def describe(self, parser, cell):
        formula = None
        if cell.Type == FORMULA:
            formula = "=" + parser.printFormula(cell.Tokens, cell.CellAddress)
            if cell.Error:
                return [formula, {"error": cell.Error, "text": cell.String}]
            is_text = cell.FormulaResultType2 == 4
        else:
            is_text = cell.Type == TEXT
        if is_text:
            return [formula, cell.String]
        return [formula, {"boolean": bool(cell.Value)} if is_boolean(self.document, cell) else cell.Value]


def is_boolean(document, cell):
    return document.NumberFormats.getByKey(cell.NumberFormat).Type & NumberFormat.LOGICAL != 0


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)["cases"]
    office = Office()
    try:
        for case in cases:
            document = office.open(case["file"])
            try:
                book = Book(document)
                for operation in case["operations"]:
                    book.perform(**operation)
                print(json.dumps(book.contents()), flush=True)
            except RuntimeException as failure:
                print(json.dumps({"failure": str(failure)}), flush=True)
            finally:
                document.close(True)
    finally:
        office.end()


main()
