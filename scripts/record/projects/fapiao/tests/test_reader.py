"""读取：编码、列名、行号。"""

import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

from fapiao import reader
from fapiao.errors import 读取错误
from fapiao.model import 列名

一行 = "3100261130,00000001,2026-03-05,上海明达五金有限公司,91310115MA1K000011,五金件,100.00,13%,13.00,113.00,"


class 读取测试(unittest.TestCase):
    def 文件(self, 内容, 编码="utf-8"):
        夹 = tempfile.TemporaryDirectory()
        self.addCleanup(夹.cleanup)
        路径 = Path(夹.name) / "2026-03.csv"
        路径.write_bytes(内容.encode(编码))
        return 路径

    def test_两种编码读出来一样(self):
        内容 = ",".join(列名) + "\n" + 一行 + "\n"
        甲 = reader.读发票(self.文件(内容))
        乙 = reader.读发票(self.文件(内容, "gb18030"))
        self.assertEqual(甲, 乙)
        self.assertEqual(甲[0].税率, Decimal("0.13"))

    def test_缺少列(self):
        with self.assertRaises(读取错误) as 捕获:
            reader.读发票(self.文件("发票代码,发票号码\n"))
        self.assertIn("缺少列：开票日期、销售方名称", str(捕获.exception))

    def test_坏金额说出行号(self):
        内容 = ",".join(列名) + "\n" + 一行 + "\n" + 一行.replace("100.00", "一百") + "\n"
        with self.assertRaises(读取错误) as 捕获:
            reader.读发票(self.文件(内容))
        self.assertIn("第 3 行：“一百”不是金额", str(捕获.exception))

    def test_税率的写法(self):
        for 文字, 值 in (("13%", "0.13"), ("0.06", "0.06"), ("免税", "0")):
            self.assertEqual(reader.读税率(文字), Decimal(值))


if __name__ == "__main__":
    unittest.main()
