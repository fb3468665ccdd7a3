import json
import os

from google.oauth2.service_account import Credentials
from googleapiclient.discovery import build

SCOPES = ["https://www.googleapis.com/auth/spreadsheets"]
credentials = Credentials.from_service_account_file(os.environ["KEY_FILE"], scopes=SCOPES)
sheets = build("sheets", "v4", credentials=credentials).spreadsheets()
book = sheets.create(body={"properties": {"title": "From Python"}}).execute()["spreadsheetId"]
body = {"values": [["a", "=1+2"]]}
update = sheets.values().update(
    spreadsheetId=book, range="Sheet1!A1", valueInputOption="USER_ENTERED", body=body
).execute()
values = sheets.values().get(spreadsheetId=book, range="Sheet1").execute()["values"]
print(json.dumps({"updated": update["updatedCells"], "values": values}))
